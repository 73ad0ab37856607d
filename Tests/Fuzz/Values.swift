import Terminal

/// Writes bytes from a database to a screen and as JSON; no byte may act as a terminal command.
func writeValues(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    precondition(SafeText(text).description.unicodeScalars.allSatisfy(isHarmless), "a control character is left")
    let lines = SafeText(multiline: text).lines
    for line in lines {
        precondition(line.description.unicodeScalars.allSatisfy(isHarmless), "a control character is left")
        for width in [1, 20] { _ = line.wrapped(to: width) }
    }
    for isPretty in [false, true] {
        var writer = JSONWriter(pretty: isPretty)
        JSON.array([.string(text), .number(text), .raw(text), .object([JSON.Member(text, .string(text))])])
            .write(into: &writer)
        let written = String(decoding: writer.bytes, as: UTF8.self)
        precondition(
            written.unicodeScalars.allSatisfy { isHarmless($0) || isPretty && $0 == "\n" },
            "JSON with a control character")
    }
}

private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .lineSeparator
        && !scalar.properties.isBidiControl
}
