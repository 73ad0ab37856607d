extension AppCheck {
    /// Something that only the rows of users tell, and that was not asked of all of them.
    package struct Unseen: Sendable, Hashable {
        package enum Matter: Sendable {
            /// Whether a select has one row for each.
            case rows
            /// Whether an act changes others than it is asked about; and the same where there is nobody.
            case changedUsers, changedUsersOfNone
        }

        /// A select, or an act.
        package let name: String
        /// For how many users it was asked; none where even that took too long.
        package let seen: Int
        package let what: Matter

        /// A select or an act, and for how many users it was asked.
        package init(name: String, seen: Int, what: Matter = .rows) {
            (self.name, self.seen, self.what) = (name, seen, what)
        }
    }
}
