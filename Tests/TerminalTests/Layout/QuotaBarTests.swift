import Terminal
import Testing

@Suite struct QuotaBarTests {
    @Test(arguments: [
        (0.0, "░░░░░░░░░░"), (50, "█████░░░░░"), (55, "█████▌░░░░"), (81.25, "████████▏░"), (100, "██████████"),
        (250, "██████████"), (-5, "░░░░░░░░░░"), (0.01, "▏░░░░░░░░░"), (99.99, "█████████▉"),
    ])
    func quotaBarUsesEighthsOfABlock(used: Double, drawn: String) {
        #expect(bar(used: used, limit: 100, width: 10, unicode: true).description == drawn)
    }

    @Test(arguments: [
        (0.0, ".........."), (50, "#####....."), (54, "#####....."), (55, "######...."), (100, "##########"),
        (0.01, "#........."), (99.99, "#########."),
    ])
    func quotaBarUsesASCIIWithoutUnicode(used: Double, drawn: String) {
        #expect(bar(used: used, limit: 100, width: 10, unicode: false).description == drawn)
    }

    @Test(arguments: [(79.9, SafeText.Style.green), (80, .yellow), (99.9, .yellow), (100, .red), (300, .red)])
    func colorOfAQuotaBarShowsTheDistanceToTheLimit(used: Double, style: SafeText.Style) {
        let drawn = bar(used: used, limit: 100, width: 1, unicode: false)
        #expect(drawn == SafeText(drawn.description).styled(style))
    }

    @Test(arguments: [
        (5.0, 0.0, "####"), (0, 0, "####"), (5, .infinity, "...."), (.infinity, .infinity, "####"), (.nan, 5, "...."),
        (5, .nan, "...."), (5, -1, "####"),
    ])
    func quotaWithoutAPositiveFiniteLimitHasABar(used: Double, limit: Double, drawn: String) {
        #expect(bar(used: used, limit: limit, width: 4, unicode: false).description == drawn)
    }

    @Test(arguments: 0...30)
    func quotaBarHasTheRequestedWidth(width: Int) {
        for used in stride(from: -10.0, through: 120, by: 3.7) {
            #expect(bar(used: used, limit: 100, width: width, unicode: true).width == width)
            #expect(bar(used: used, limit: 100, width: width, unicode: false).width == width)
        }
    }
}
