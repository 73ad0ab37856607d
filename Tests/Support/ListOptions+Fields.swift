package import Inquiries

extension ListOptions {
    /// Creates the options of a list; a test names only the fields that it sets.
    package init(
        selections: [String] = [], decision: (name: String, outcome: String)? = nil, sort: String? = nil,
        limit: Int? = nil, user: String? = nil, since: String? = nil, until: String? = nil, operator name: String? = nil
    ) {
        self.init()
        self.selections = selections
        self.decision = decision
        self.sort = sort
        self.limit = limit
        self.user = user
        self.since = since
        self.until = until
        self.operator = name
    }
}
