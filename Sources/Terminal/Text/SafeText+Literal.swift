extension SafeText: ExpressibleByStringInterpolation {
    /// Creates a text from a literal of this program, unchanged.
    ///
    /// The argument is a `StaticString`, so that a computed value can't be passed as a literal.
    package init(stringLiteral literal: StaticString) {
        self.init(trusted: literal.description)
    }

    /// Creates a text from a literal with values in it.
    package init(stringInterpolation interpolation: StringInterpolation) {
        self = interpolation.text
    }

    /// Collects a literal with values: hidden characters in strings become visible, safe texts keep their styles.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = SafeText()

        /// Starts an empty text.
        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds characters of the literal itself.
        package mutating func appendLiteral(_ literal: StaticString) {
            text.append(literal.description, [])
        }

        /// Adds a safe text.
        package mutating func appendInterpolation(_ safe: SafeText) {
            text += safe
        }

        /// Adds untrusted characters, with hidden ones made visible.
        package mutating func appendInterpolation(_ untrusted: some StringProtocol) {
            text += SafeText(untrusted)
        }

        /// Adds a whole number in decimal digits.
        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            text.append(String(number), [])
        }
    }
}
