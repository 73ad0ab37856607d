import Accounts
import Acts
import Asking

extension ErasureNote {
    var words: String {
        switch self {
        case .abandonedDropped(let index):
            "\(index), an index that an earlier deletion left behind, is dropped"
        case .helperLeft(let index):
            "\(index), an index built for this, is still there; the next deletion drops it"
        case .archiveKept(let path): "\(path) is kept: it holds what may be deleted"
        case .stillWriting(let table):
            "a transaction that began before is still writing into \(pasted(table)), which nobody can see yet"
        case .noSecondLook(let failure): "the search after the commit failed: \(failure.words.message)"
        case .warned(let warning): "the server warned as it committed: \(warning.sentence)"
        case .uncounted:
            "the server counts no rows (track_counts is off), so triggers may have written unseen"
        case .unseen(let columns):
            "nobody could look whether they hold the person: "
                + columns.map { "\($0.path) (\($0.trouble ?? ""))" }.joined(separator: ", ")
        case .filesNotRemoved(let failure): failure.words.message
        case .filesNotForgotten(let failure):
            "they are gone, and that could not be recorded: \(failure.words.message)"
        }
    }
}

extension ErasureReport.Way {
    var words: String {
        switch self {
        case .cascade: "the database's own cascade"
        case .children: "children before parents"
        case .statement: "one statement"
        case .emptied: "nullable references emptied first"
        case .deferred: "constraints checked at the end"
        case .single: "row by row, since triggers change others of them"
        case .parent: "left to the cascade of its parent"
        }
    }
}

extension WrittenRows.Why {
    var words: String {
        switch self {
        case .declared(let words): words
        case .onRequest: "kept on request"
        case .holdsPerson: "the person, or the key of a row that went, is in them"
        case .unseen: "this role may not look whether they are about the person"
        case .unreadable: "a trigger may have changed them, and this role may not read all that they say"
        case .noWitness(let heard):
            "a trigger may have changed them, and what they were cannot be looked up: \(heard)"
        case .copied: "a trigger changed what they say, which may be a copy of what went"
        case .untold:
            "a line takes new rows away, and without a key nobody can tell them from those that triggers changed"
        case .mentions: "the person is in columns of them alone that may name people by the app file"
        case .nothingFound: "neither the person's id nor an address was found in them"
        case .nothingFoundByKey:
            "neither the person's id nor an address nor a uuid key of a row that went was found in them"
        case .nothingTold:
            "no address was found in them; so short an id counts only behind a name that says whose it is"
        }
    }
}
