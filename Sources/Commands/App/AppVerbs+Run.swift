import AppFile
import Asking
import Changes
import CommandLine
import Inquiries
import PQ
import Terminal

/// What the verbs of an app file do.
extension Verb {
    /// A listing verb.
    static func listing(_ command: Command, _ list: App.List, takesUser: Bool) -> Verb {
        let names = list.parameters.all.map(\.name)
        let (noun, verb) = (list.noun, list.verb)
        return Verb(command) { invocation, context throws(Failure) in
            var values: [String: String] = [:]
            for name in names { values[name] = invocation.option(name) ?? invocation.argument(name) }
            let listing = try Listing.list(
                noun, verb, ObjectsWanted(invocation, besides: names), values: values,
                user: takesUser ? invocation.argument("USER") : nil,
                on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
            try RecordWriter.write(listing, context)
            return .done
        }
    }

    /// `NOUN list` of a kind of object.
    static func listing(_ command: Command, _ object: App.ObjectKind) -> Verb {
        let (noun, selections) = (object.noun, object.selections.map(\.name))
        return Verb(command) { invocation, context throws(Failure) in
            var wanted = ObjectsWanted(invocation)
            wanted.selections = selections.filter(invocation.flag)
            let listing = try Listing.objects(
                noun, wanted, on: try context.connection(), candidates: try context.candidates(),
                options: context.inquiry)
            try RecordWriter.write(listing, context)
            return .done
        }
    }

    /// `NOUN show` of a kind of object.
    static func showing(_ command: Command, _ object: App.ObjectKind) -> Verb {
        let (noun, column) = (object.noun, object.key)
        return Verb(command) { invocation, context throws(Failure) in
            let (row, inbox, roles) = try Inquiry.object(
                noun, key: invocation.argument("KEY") ?? "", checking: context.showsScreen,
                on: try context.connection(),
                candidates: try context.candidates(), options: context.inquiry)
            let text = ScreenText(context)
            let width = context.screen.widthLimit
            let wrong = InboxView(
                text: text, program: context.program, width: width,
                permission: Permission(context.grammar, app: try context.app(), roles: roles)
            ).lines(inbox)
            try PageWriter(context: context).write(
                json: zip(row.columns, row.values).map { ($0.name, JSON($1)) }, records: [row],
                key: row.shown(column).flatMap(MachineText.of) ?? "",
                screen: PanelView.list(row, text).lines(width: width) + (wrong.isEmpty ? [] : [""] + wrong))
            return .done
        }
    }

    /// A change.
    static func changing(_ command: Command, _ action: App.Action) -> Verb {
        let parameters = action.parameters.all
        let (noun, verb, selections) = (action.noun, action.verb, action.selections)
        let subject = command.arguments.first { $0.arity.isVariadic }?.name
        return Verb(command) { invocation, context throws(Failure) in
            var request = ChangeRequest(.action(noun: noun, verb: verb), context)
            for parameter in parameters where !parameter.isSecret {
                let value = invocation.option(parameter.name) ?? invocation.argument(parameter.name)
                if let value { request.values[parameter.name] = value }
            }
            if let subject { request.subjects = try Subjects.read(invocation, argument: subject, context) }
            request.resumes = invocation.option("resume")
            request.selections = selections.filter(invocation.flag)
            if !request.selections.isEmpty, !request.subjects.isEmpty {
                throw Failure(.usage, "name them or select them with --\(request.selections[0]), not both")
            }
            // A secret is for whoever approves it to say.
            let (secrets, generated) = try SecretValues.ask(for: context.options.asks ? [] : parameters, context)
            request.values.merge(secrets) { _, secret in secret }
            return try ChangeCommand(request: request, context: context, generated: generated).perform()
        }
    }
}

extension ObjectsWanted {
    /// What the options of every list say, but for those that the app file declares itself.
    fileprivate init(_ invocation: Invocation, besides own: [String] = []) {
        self.init()
        func option(_ name: String) -> String? { own.contains(name) ? nil : invocation.option(name) }
        user = option("user")
        since = option("since")
        until = option("until")
        sort = option("sort")
        limit = own.contains("limit") ? nil : invocation.integer("limit")
    }
}
