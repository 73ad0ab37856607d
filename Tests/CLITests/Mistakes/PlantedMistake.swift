import Foundation
import PQ
import Support
import Testing

/// One mistake in a file that is otherwise valid.
struct PlantedMistake: Sendable {
    let name: String
    /// The valid text, and the text that replaces it.
    let right: String
    let wrong: String
    /// The beginning of the text above the caret; if empty, the test accepts any place.
    let place: String
    /// A part of the message or hint; if empty, the test accepts any words.
    let offers: String

    init(_ name: String, _ right: String, _ wrong: String, at place: String = "", offers: String = "") {
        (self.name, self.right, self.wrong, self.place, self.offers) = (name, right, wrong, place, offers)
    }
}

/// A file that fits its tables, and mistakes to insert.
final class MistakenFile: Sendable {
    let name: String
    let text: String
    let mistakes: [PlantedMistake]
    let database: Result<TestDatabase, any Error>

    init(_ name: String, _ text: String, on statements: [String], with mistakes: [PlantedMistake]) {
        (self.name, self.text, self.mistakes) = (name, text, mistakes)
        database = Result {
            let database = try TestCluster.emptyDatabase()
            let connection = try database.connect()
            for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
            return database
        }
    }

    /// The text of the file with one mistake.
    func text(with mistake: PlantedMistake) throws -> String {
        let range = try #require(text.range(of: mistake.right), "\(name) has no such text: \(mistake.right)")
        return text.replacingCharacters(in: range, with: mistake.wrong)
    }

    /// The findings of `app check` for a text of this file.
    func findings(in text: String) throws -> [Finding] {
        let scratch = try Scratch()
        let path = try scratch.path(of: "\(name).sql", holding: text)
        let result = try Usher.run(["app", "check", path, "--json", "-q"], on: database.get().conninfo())
        return try JSONDecoder().decode([Finding].self, from: Data(result.output.utf8))
    }
}

struct Finding: Decodable {
    let file: String
    let line: Int
    let column: Int
    let message: String
    let hint: String?
}

struct Plant: Sendable, CustomTestStringConvertible {
    let file: MistakenFile
    let mistake: PlantedMistake

    static let files = [MistakenLetter.file, MistakenSquad.file, MistakenMarket.file, MistakenFleet.file]

    static let all = files.flatMap { file in
        file.mistakes.map { Plant(file: file, mistake: $0) }
    }

    var testDescription: String { "\(file.name): \(mistake.name)" }
}
