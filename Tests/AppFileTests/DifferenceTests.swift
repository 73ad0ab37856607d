import AppFile
import Testing

/// What two versions of a file say differently.
@Suite struct DifferenceTests {
    private static let blocks = """
        -- @decision access  In?
        -- @rule yes  Pays.
        tier = 'paid';
        -- @rule no  Does not.
        -- @advice Ask.
        tier = 'free';
        -- @rule lost  Else.
        true;
        -- @action tier drop  Drop it.
        -- @grade moderate
        -- @expect access no
        -- @do
        update public.person set tier = 'free' where id = any(:users);

        """

    private func told(_ changes: (String, String)...) throws -> [String] {
        var text = Self.blocks
        for (old, new) in changes {
            #expect(text.contains(old))
            text = text.replacing(old, with: new)
        }
        return AppDifference.between(try Sample.app(Self.blocks), try Sample.app(text)).items.map { item in
            "\(item.block) / \(item.part ?? "") / \(item.change.rawValue) / \(item.before ?? "") / \(item.after ?? "")"
        }
    }

    @Test func `white space, comments and the case of words are none`() throws {
        #expect(try told(("tier = 'paid';", "TIER\n  = -- here\n 'paid';")) == [])
    }

    @Test func `a rule that decides otherwise`() throws {
        #expect(
            try told(("tier = 'paid';", "tier <> 'free';")) == [
                "decision access / rule yes  Pays. / changed / tier = 'paid' / tier <> 'free'"
            ])
    }

    @Test func `a rule that says the same otherwise`() throws {
        #expect(
            try told(("Pays.", "Has paid.")) == ["decision access / rule yes / changed / Pays. / Has paid."])
    }

    @Test func `rules that another decision takes are told once`() throws {
        let taken = "-- @decision again  In?\n-- @from access\n"
        let (before, after) = (Self.blocks + taken, Self.blocks.replacing("'paid'", with: "'pro'") + taken)
        let items = AppDifference.between(try Sample.app(before), try Sample.app(after)).items
        #expect(items.map(\.block) == ["decision access"])
    }

    @Test func `rules in another order`() throws {
        let yes = "-- @rule yes  Pays.\ntier = 'paid';\n"
        let no = "-- @rule no  Does not.\n-- @advice Ask.\ntier = 'free';\n"
        #expect(try told((yes + no, no + yes)) == ["decision access / rule no  Does not. / moved /  / "])
    }

    @Test func `who may, what is done, and blocks that come and go`() throws {
        #expect(
            try told(("moderate", "severe")) == ["action tier drop / the grade / changed / moderate / severe"])
        #expect(
            try told(("tier drop", "tier end")) == [
                "action tier drop /  / removed /  / ", "action tier end /  / added /  / ",
            ])
    }
}
