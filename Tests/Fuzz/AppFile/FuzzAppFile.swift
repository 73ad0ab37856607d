import AppFile

/// Reads bytes as an app file and, when they are one, composes every statement that can be made of it.
func exercise(_ bytes: [UInt8]) {
    let file = SourceFile(name: "app.sql", bytes: bytes)
    do throws(InvalidApp) {
        let app = try AppParser.parse(file) { name in
            // What is included is made of the same bytes, so that both sides of an include are searched.
            SourceFile(name: "\(name).sql", bytes: Array(bytes.drop { $0 != UInt8(ascii: "\n") }))
        }
        for query in statements(of: app) { check(query) }
    } catch {
        precondition(!error.diagnostics.isEmpty, "refused without a reason")
        for finding in error.diagnostics {
            precondition((0...finding.file.bytes.count).contains(finding.offset), "a place outside of its file")
            precondition(finding.report.count >= 3, "a finding without a caret")
        }
    }
}

private func check(_ query: ComposedQuery) {
    let length = query.sql.unicodeScalars.count
    for position in stride(from: 1, through: length, by: max(1, length / 7)) {
        guard let (file, offset) = query.origin(ofPosition: position) else { continue }
        precondition((0...file.bytes.count).contains(offset), "a place outside of its file")
    }
}

private func statements(of app: App) -> [ComposedQuery] {
    let bindings = ["now": Binding("n", type: "timestamptz"), "user": Binding("u", type: nil)]
    var queries = Directory.Way.allCases.map { Directory(app).resolution(of: "x", by: $0, bindings: bindings) }
    queries.append(Directory(app).search(for: "x", limit: 9, bindings: bindings))
    queries += app.users.selections.map { app.list(where: $0, decided: nil, limit: 9, bindings: bindings) }
    queries += app.panels.map { app.rows(of: $0, bindings: bindings) }
    queries += app.timelines.map { app.events(of: $0, since: nil, limit: 9, bindings: bindings) }
    queries += app.quotas.map { app.usage(of: $0, by: .known("k", type: "uuid"), bindings: bindings) }
    queries += app.quotas.map { app.summary(of: $0, bindings: bindings) }
    for decision in app.decisions {
        queries.append(decision.shape(for: app, bindings: bindings))
        queries.append(app.list(where: nil, decided: (decision, "x"), limit: nil, bindings: bindings))
        let given = Dictionary(decision.assumptions.map { ($0.name, "v") }) { first, _ in first }
        for choice in [RuleChoice.all, .none, .only(0), .reason(0)] {
            queries.append(
                decision.evaluation(of: choice, for: .all, assuming: given, in: app, bindings: bindings))
        }
    }
    return queries
}

#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
    public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        unsafe exercise(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    }
#else
    import Glibc

    /// Replays the files given as arguments.
    @main
    enum FuzzAppFile {
        static func main() {
            for path in CommandLine.arguments.dropFirst() {
                guard let stream = unsafe fopen(path, "rb") else {
                    print("\(path): cannot be read")
                    exit(1)
                }
                var bytes: [UInt8] = []
                while case let byte = unsafe getc(stream), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
                unsafe fclose(stream)
                exercise(bytes)
                print("\(path): \(bytes.count) bytes")
            }
        }
    }
#endif
