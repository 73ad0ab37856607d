import Glibc
import Synchronization

/// A time zone: its name and its offset from UTC.
package struct Zone: Sendable {
    /// A name of the tz database, or a rule from `TZ`.
    package let name: String
    /// The value of `TZ` if it is not a zone and UTC is used instead.
    package let mistaken: String?
    private let rule: @Sendable (Int64) -> Int64

    /// A zone with a function for its offset in seconds.
    package init(name: String, mistaken: String? = nil, offset: @escaping @Sendable (Int64) -> Int64) {
        self.name = name
        self.mistaken = mistaken
        rule = offset
    }

    /// The offset from UTC, in seconds, at a Unix time.
    package func offset(at second: Int64) -> Int64 { rule(second) }

    /// True if a clock time occurs twice in the zone, as when summer time ends.
    func isTwice(clock: Int64) -> Bool {
        let offsets = Set([offset(at: clock - Self.day), offset(at: clock + Self.day)])
        return offsets.count == 2 && offsets.allSatisfy { offset(at: clock - $0) == $0 }
    }

    private static let day: Int64 = 86_400
}

extension Zone {
    /// The operator's zone: from `--tz`, else from `TZ`, else the machine's.
    package static var current: Zone { chosen.withLock { $0.zone } }

    private static let chosen = Mutex((name: String?.none, zone: Zone.read(environment.zone)))
    /// The variables at the start of the program, because `choose` overwrites `TZ`.
    private static let environment = (zone: environmentVariable("TZ"), folder: environmentVariable("TZDIR"))

    /// Chooses the current zone, or with nil the zone in `TZ`; false if no zone has the name.
    package static func choose(_ name: String?) -> Bool {
        chosen.withLock { chosen in
            if chosen.name != name {
                // Other threads read the environment, whose entries are never removed.
                unsafe setenv("TZ", name ?? environment.zone ?? ":/etc/localtime", 1)
                tzset()
                chosen = (name, read(name ?? environment.zone))
            }
            return name == nil || chosen.zone.mistaken == nil
        }
    }

    private static func read(_ setting: String?) -> Zone {
        let (name, mistaken) = Self.name(setting, folder: environment.folder ?? "/usr/share/zoneinfo")
        return Zone(name: name, mistaken: mistaken) { second in
            var time = time_t(second)
            var local = unsafe tm()
            guard unsafe localtime_r(&time, &local) != nil else { return 0 }
            return Int64(unsafe local.tm_gmtoff)
        }
    }

    /// The usual name of the zone that libc finds for a value of `TZ`.
    private static func name(_ setting: String?, folder: String) -> (name: String, mistaken: String?) {
        guard let setting else { return (name(ofFile: "/etc/localtime") ?? utc, nil) }
        let text = setting.hasPrefix(":") ? String(setting.dropFirst()) : setting
        if text.isEmpty || text == utc { return (utc, nil) }
        if text.hasPrefix("/") { return name(ofFile: text).map { ($0, nil) } ?? (utc, setting) }
        if name(ofFile: folder + "/" + text) != nil || isRule(text) { return (text, nil) }
        return (utc, setting)
    }

    /// The name of the zone in a file, or in the file that it links to; nil if the file isn't a time zone.
    private static func name(ofFile path: String) -> String? {
        guard isZone(path) else { return nil }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &target, target.count)
        let link = target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let parts = (link.isEmpty ? path : String(decoding: link, as: UTF8.self)).split(separator: "/")
        guard let folder = parts.lastIndex(of: "zoneinfo") else { return path }
        return parts[(folder + 1)...].joined(separator: "/")
    }

    private static func isZone(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var magic = [UInt8](repeating: 0, count: 4)
        return unsafe Glibc.read(descriptor, &magic, magic.count) == magic.count && magic.elementsEqual("TZif".utf8)
    }

    /// True if a text is a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`: a name of at least three letters, and an offset.
    private static func isRule(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let name: Int
        if bytes.first == UInt8(ascii: "<") {
            name = (bytes.firstIndex(of: UInt8(ascii: ">")) ?? 0) + 1
        } else {
            let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
            name = bytes.firstIndex { !isLetter($0) } ?? bytes.count
        }
        let rest = bytes.dropFirst(name).drop { "+-".utf8.contains($0) }
        return name >= 3 && rest.first.map { "0123456789".utf8.contains($0) } == true
    }

    private static let utc = "UTC"
}
