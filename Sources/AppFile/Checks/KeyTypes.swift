extension App {
    /// The Postgres types of the keys: of users, and of each kind of object.
    package struct KeyTypes: Sendable {
        /// The type of the users' keys; nil if Postgres must infer it because `@users` can't be described.
        package var users: String?
        package var objects: [String: String]

        /// Takes the types that describing the directory returned.
        package init(users: String?, objects: [String: String]) {
            self.users = users
            self.objects = objects
        }

        /// The type of the keys of a kind of subject; nil if unknown.
        package func type(of subject: Subject) -> String? {
            switch subject {
            case .users: users
            case .object(let noun): objects[noun]
            case .nothing: nil
            }
        }
    }
}
