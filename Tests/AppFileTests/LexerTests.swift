import AppFile
import Testing

@Suite struct LexerTests {
    @Test func castsAreNoParameters() {
        let tokens = Lexer.tokens(of: SourceFile(name: "t", text: "select :a::text")).tokens
        #expect(tokens.filter { $0.kind == .parameter }.count == 1)
    }
}
