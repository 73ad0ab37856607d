package import PQ
package import Terminal

/// What a function of the schema `usher` refuses: a name, and the facts that stand beside it in the detail of the error.
///
/// Whoever calls the functions by hand reads the message of the server; here the words are made from the facts.
package struct DatabaseRefusal {
    /// What can be refused, as the functions name it.
    package enum Name: String, CaseIterable {
        // What is asked for.
        case notInstalled = "not_installed"
        case citusAdded = "citus_added"
        case otherFile = "other_file"
        case noAct = "no_act"
        case noSelection = "no_selection"
        case noArgument = "no_argument"
        case noValue = "no_value"
        case notAmong = "not_among"
        case notOfType = "not_of_type"
        case outOfRange = "out_of_range"
        case otherTime = "other_time"
        case noAttempt = "no_attempt"
        case longAttempt = "long_attempt"
        // Whom it is about.
        case stranger, gone
        case listedTwice = "listed_twice"
        case noUser = "no_user"
        case rootless
        case emptyNote = "empty_note"
        case longNote = "long_note"
        case noText = "no_text"
        case tooLong = "too_long"
        case illFormed = "ill_formed"
        // Who may.
        case forbidden, hidden
        case noStates = "no_states"
        case needsReason = "needs_reason"
        case takesTwo = "takes_two"
        case overCeiling = "over_ceiling"
        case openPath = "open_path"
        case ownerAlone = "owner_alone"
        case temporary
        // What cannot be accounted for.
        case noCounters = "no_counters"
        case unaccounted, uncounted, unreached, loose, others, strays, restless, keyless, beside
        case secretKey = "secret_key"
        case foreignTable = "foreign_table"
        case ledgerTable = "ledger_table"
        // Requests.
        case noRequest = "no_request"
        case answered, needless, moved
        case noAnswer = "no_answer"
        case askedForNobody = "asked_for_nobody"
        case askedAlready = "asked_already"
        case ownRequest = "own_request"
        case otherRequest = "other_request"
        case notTheAsker = "not_the_asker"
        case mayNotApprove = "may_not_approve"
        case mayNotDecline = "may_not_decline"
        case takesAnother = "takes_another"
        // Many at once.
        case noBulk = "no_bulk"
        case otherBulk = "other_bulk"
        case otherList = "other_list"
        case unfinished
        case notUnfinished = "not_unfinished"
        case partsUndone = "parts_undone"
        case doneMeanwhile = "done_meanwhile"
        // Undoing.
        case noOperation = "no_operation"
        case undone, erased, final, irreversible, restored
        case notDone = "not_done"
        case otherKind = "other_kind"
        case nothingLeft = "nothing_left"
        case otherTable = "other_table"
        case secretRows = "secret_rows"
        case secretColumn = "secret_column"
        case changedSince = "changed_since"
        case notRestored = "not_restored"
    }

    package let name: Name
    let facts: JSON

    /// Nil where no function of the schema said it, or one that nobody here knows.
    package init?(_ error: ServerError) {
        guard error.isOfUsher, let facts = error.detail.flatMap({ JSON(reading: $0) }),
            let name = facts.text("refusal").flatMap(Name.init)
        else { return nil }
        self.name = name
        self.facts = facts
    }

    /// A fact as text; nothing where it is not there.
    package subscript(_ fact: String) -> String { facts.text(fact) ?? "" }

    /// Whether a fact is so.
    package func holds(_ fact: String) -> Bool { facts.member(fact) == .bool(true) }
}

extension JSON {
    /// A member of an object; nil where there is none.
    package func member(_ name: String) -> JSON? {
        if case .object(let members) = self { members.first { $0.key == name }?.value } else { nil }
    }

    /// A member that is a text or a number.
    package func text(_ name: String) -> String? {
        switch member(name) {
        case .string(let text)?, .number(let text)?, .raw(let text)?: text
        default: nil
        }
    }

    /// The values of a member that is a list.
    package func list(_ name: String) -> [JSON] {
        if case .array(let values)? = member(name) { values } else { [] }
    }

    /// The texts and numbers of a list.
    package func texts(_ name: String) -> [String] {
        list(name).compactMap { value in
            switch value {
            case .string(let text), .number(let text): text
            default: nil
            }
        }
    }
}
