extension App {
    /// The Postgres types of the keys: of users, and of each kind of object.
    package struct KeyTypes: Sendable {
        /// Nil when the directory could not be described, so that Postgres infers it.
        package var users: String?
        package var objects: [String: String]

        /// Types that were found out by describing the directory.
        package init(users: String?, objects: [String: String]) {
            self.users = users
            self.objects = objects
        }

        /// The type of the keys of a kind of subject, nil where there are none or nobody knows it.
        package func type(of subject: Subject) -> String? {
            switch subject {
            case .users: users
            case .object(let noun): objects[noun]
            case .nothing: nil
            }
        }
    }
}
