package import CloudKitWire

extension ChangeEvent {
    /// The shares that a change touches, and the versions of their audiences.
    package struct Shares: Sendable, Equatable {
        /// The versions of the audiences of the shares that the event touches, keyed by share. A version increases with
        /// each change to the audience. Only events that are sent at the commit contain versions, for at most
        /// ``maxVersions`` shares.
        package var versions: [Int64: Int64]
        /// The zone-wide share, to which all records of the event belong; nil if there is none.
        package var zone: Int64?
        /// The shares of those changed records that the event does not list.
        package var unlisted: [Int64]
        /// Whether the event concerns every share of the zone.
        package var isAll: Bool

        /// The maximum number of ``versions`` in an event.
        package static let maxVersions = 32
        /// The maximum number of ``unlisted`` shares in an event. Only events that were read from the log contain such
        /// shares.
        package static let maxUnlisted = 10_000

        /// Creates the shares of an event; nil if the event touches none.
        package init?(
            versions: [Int64: Int64] = [:], zone: Int64? = nil, unlisted: [Int64] = [], isAll: Bool = false
        ) {
            guard !versions.isEmpty || zone != nil || !unlisted.isEmpty || isAll else { return nil }
            self.versions = versions
            (self.zone, self.unlisted, self.isAll) = (zone, unlisted, isAll)
        }

        init?(_ json: JSONValue) {
            var versions: [Int64: Int64] = [:]
            for pair in json["versions"]?.array ?? [] {
                guard let share = pair[0]?.int, let version = pair[1]?.int else { continue }
                versions[share] = version
            }
            self.init(
                versions: versions, zone: json["zone"]?.int,
                unlisted: json["unlisted"]?.array?.compactMap(\.int) ?? [], isAll: json["all"]?.bool ?? false)
        }

        /// Writes `{versions?: [[share, version]], zone?, unlisted?, all?}`.
        func write(to writer: inout WireWriter) {
            writer.object { writer in
                if !versions.isEmpty {
                    writer.key("versions")
                    writer.array(versions.sorted { $0.key < $1.key }.prefix(Self.maxVersions)) { writer, pair in
                        writer.array([pair.key, pair.value]) { $0.value(.int($1)) }
                    }
                }
                writer.member("zone", zone)
                if !unlisted.isEmpty {
                    writer.key("unlisted")
                    writer.array(unlisted.prefix(Self.maxUnlisted)) { $0.value(.int($1)) }
                }
                if isAll { writer.member("all", true) }
            }
        }
    }
}
