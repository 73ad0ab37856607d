@testable import Accounts
import PQ
import Support
import Testing

/// Where an address begins and ends in a text: an escape is what it stands for.
extension HiddenPersonTests {
    private static let certain = [
        "'ada@example.com'", "('ada@example.com')", "users/ada@example.com", "mailto:ada@example.com",
        "=ada@example.com",
        #""Dear\nada@example.com""#, "x%3Dada@example.com", "x%20ada%40example.com%20x", "x%253Dada@example.com",
        #"\u003cada@example.com\u003e"#, #"\u201cada@example.com\u201d"#, "%E2%80%9Cada%40example.com",
        "&lt;ada@example.com&gt;",
        "&#39;ada@example.com&#39;", "x &#x27;ada@example.com&#x27;", "a=%27ada%40example.com%27",
        "x%20'ada@example.com'",
        #"{"x":"\u0027ada@example.com\u0027"}"#, #"\'ada@example.com\'"#, "&#60;ada@example.com&#62;",
        "a;ada@example.com;b",
        "a;'ada@example.com';b", "&quot;ada@example.com&quot;", "&#8220;ada@example.com", "x&nbsp;ada@example.com",
        "&#xa0;ada@example.com",
        "ada&#64;example.com", "x &#x40;ADA&#x0040;example.com", "mailto:ada&amp;#64;example.com",
        "_ada@example.com_", "see __ada@example.com__.", "*ada@example.com*",
        "ada@example.com.", "ada@example.com%2E", "ada@example.com%26x=1", #"ada@example.com\nHello"#,
    ]
    private static let longer = [
        "test%2Bada%40example.com", "test%2bada@example.com", "test%252Bada@example.com", "x%2Dada%40example.com",
        "b%5Fada%40example.com", "mary%2Eada%40example.com", "jo%61ada@example.com", "%C3%B6ada%40example.com",
        #"\u00f6ada@example.com"#,
        #"m\u00fcada@example.com"#, #"x\u002bada@example.com"#, #"{\"x\":\"t\\u002bada@example.com\"}"#,
        #"x\x2bada@example.com"#,
        "o&#39;ada@example.com", "o&#x27;ada@example.com", "o&amp;#39;ada@example.com", "o&apos;ada@example.com",
        "o'ada@example.com",
        "o%27ada@example.com", #"o\u0027ada@example.com"#, #"o\'ada@example.com"#, "x&#43;ada@example.com",
        "&#246;ada@example.com",
        "&#xf6;ada@example.com", "joann&#x2d;ada@example.com",
        "_ada@example.com", "x_ada@example.com_", "_ada@example.com_b",
        "ada@example.com%2Euk", "ada@example.co%6D%6D", #"ada@example.com\u002euk"#, "ada@example.com%2Dshop.de",
        "ada@example.com&#46;uk",
        "ada@example.com%C3%B6",
    ]

    /// Where a line takes a person out, what is certainly that person's goes and what is longer stays as it is.
    @Test func escapesAreWhatTheyStandFor() throws {
        let texts = Self.certain + Self.longer
        let rows = texts.enumerated().map { place, text in
            "(\(place), '" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "')"
        }
        let lab = try ErasureLab(twoUsersAnd: [
            "create table places (id int primary key, place text)",
            "insert into places values \(rows.joined(separator: ", "))",
        ])
        let app = try ErasureLab.app(["@mention public.places.place : anonymise"])
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        let after = try lab.rows("select place from places order by id").map { $0[0] ?? "" }
        for (before, after) in zip(texts, after) {
            #expect(Self.longer.contains(before) == (before == after), "\(before) → \(after)")
            if before != after { #expect(after.contains("***") && !after.lowercased().contains("ada")) }
        }
    }

    /// Whoever decides is told of what may be that person's, and whoever anonymises what has no line, too.
    @Test(arguments: [
        "test%2Bada%40example.com", "o'ada@example.com", "&#246;ada@example.com", #"m\u00fcada@example.com"#,
    ])
    func whoeverDecidesIsToldOfEscapedMarks(text: String) throws {
        let quoted = text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        let found = try found(try lab("text", hers: "'to \(quoted)'"), ["ada@example.com"])
        #expect(found.plan == ["public.places.place 1"] && found.residue == found.plan)
    }

    private static let others = [
        "x!ada@example.com", "x=ada@example.com", "x&ada@example.com", "a/ada@example.com", "q{ada@example.com",
        "_ada@example.com", "ada@example.com-x", "ada@example.com_1", "ada@example.com~", "ada@example.com@relay.org",
    ]

    /// What ends an address is part of a longer one where another user is called so, and there alone.
    @Test(arguments: [
        ("write x!ada@example.com", "write x!ada@example.com"), ("x=ada@example.com", "x=ada@example.com"),
        ("x&ada@example.com", "x&ada@example.com"), ("<A/Ada@example.com>", "<A/Ada@example.com>"),
        ("x%3Dada%40example.com", "x%3Dada%40example.com"),
        (#"{"x": "a\/ada@example.com"}"#, #"{"x": "a\/ada@example.com"}"#),
        ("to q{ada@example.com", "to q{ada@example.com"), ("mailto:?to=ada@example.com", "mailto:?to=***"),
        ("user=ada@example.com", "user=***"), ("u=1&ada@example.com", "u=1&***"), ("img/ada@example.com!", "img/***!"),
        ("max=ada@example.com", "max=***"), ("!ada@example.com", "!***"),
        ("_ada@example.com_", "_ada@example.com_"), ("__ada@example.com__", "__***__"),
        ("ada@example.com and x!ada@example.com", "*** and x!ada@example.com"),
        ("user=ada@example.com x=ada@example.com", "user=*** x=ada@example.com"),
        ("see Ada@example.com-x.", "see Ada@example.com-x."), ("ada@example.com_1,", "ada@example.com_1,"),
        ("ada%40example.com%7E", "ada%40example.com%7E"), ("ada@example.com@relay.org", "ada@example.com@relay.org"),
        ("ada@example.com-2024", "***-2024"), ("ada@example.com_12", "***_12"),
        ("ada@example.com, ada@example.com-x", "***, ada@example.com-x"),
    ])
    func longerAddressesAreThoseOfOtherUsers(text: String, after: String) throws {
        let users = Self.others.enumerated().map { "('cccccccc-0000-4000-8000-00000000001\($0)', '\($1)')" }
        let lab = try lab("text", hers: "'\(text)'", "insert into users values \(users.joined(separator: ", "))")
        let found = try found(lab, ["ada@example.com"])
        #expect(found.plan == (text == after ? [] : ["public.places.place 1"]) && found.residue == found.plan)
        let app = try ErasureLab.app(["@mention public.places.place : anonymise"])
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try lab.value("select place from places where id = 1") == after)
    }
}
