extension SafeText: ExpressibleByStringInterpolation {
    /// Makes a text from a literal of this program, which is taken as it is.
    ///
    /// The argument is a `StaticString` so that no value computed at run time can pass for a literal.
    package init(stringLiteral literal: StaticString) {
        self.init(trusted: literal.description)
    }

    /// Makes a text from a literal with values in it.
    package init(stringInterpolation interpolation: StringInterpolation) {
        self = interpolation.text
    }

    /// Collects a literal with values in it: strings are made visible, safe texts keep their styles.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = SafeText()

        /// Starts an empty text.
        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds characters of the literal itself.
        package mutating func appendLiteral(_ literal: StaticString) {
            text.append(literal.description, [])
        }

        /// Adds a text that is safe already.
        package mutating func appendInterpolation(_ safe: SafeText) {
            text += safe
        }

        /// Adds untrusted characters, made visible.
        package mutating func appendInterpolation(_ untrusted: some StringProtocol) {
            text += SafeText(untrusted)
        }

        /// Adds a whole number in decimal digits.
        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            text.append(String(number), [])
        }
    }
}
