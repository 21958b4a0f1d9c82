package import CloudKitModel

/// Who points to whom, as far as a batch has to know: what was read of `record.reference`, and over it the links of the
/// records that the batch has written so far. A value.
package struct ReferenceGraph: Sendable {
    /// A link as its target sees it.
    package struct Incoming: Sendable, Hashable {
        /// The record that points.
        package var source: RecordName
        /// By which field and for what.
        package var link: RecordLink

        /// A link of `source`.
        package init(source: RecordName, link: RecordLink) {
            self.source = source
            self.link = link
        }
    }

    /// A record that is, or would be, pointed to.
    package struct Target: Sendable {
        /// Whether it is there.
        package var isLive: Bool
        /// How many `DELETE_SELF` references point to it, counted no further than one past the limit; nil: not counted.
        package var owned: Int?

        /// A target that was read.
        package init(isLive: Bool, owned: Int?) {
            self.isLive = isLive
            self.owned = owned
        }
    }

    /// What was read of those who point to a record; no entry: not read.
    private var stored: [RecordKey: [Incoming]] = [:]
    /// What was read of targets; no entry: not read.
    private var targets: [RecordKey: Target] = [:]
    /// The present links of the records that were written; what was read of them does not count any more.
    private var written: [RecordKey: Set<RecordLink>] = [:]
    /// For each target the records that, when they were written, pointed to it.
    private var writers: [RecordKey: Set<RecordName>] = [:]

    /// A graph of which nothing was read.
    package init() {}

    /// Takes in who points to `target`.
    package mutating func read(_ incoming: [Incoming], to target: RecordKey) { stored[target] = incoming }

    /// Takes in a target.
    package mutating func read(_ target: Target, at key: RecordKey) { targets[key] = target }

    /// What was read of `key` and counted since; nil: it was not read.
    package func target(_ key: RecordKey) -> Target? { targets[key] }

    /// Lays the links of a written record, none when it was deleted, over what was read.
    ///
    /// - Parameter before: its links up to now.
    package mutating func write(_ links: Set<RecordLink>, of source: RecordKey, before: Set<RecordLink>) {
        written[source] = links
        for link in links {
            writers[RecordKey(zone: source.zone, name: link.target), default: []].insert(source.name)
        }
        for link in links.subtracting(before) { count(link, of: source, 1) }
        for link in before.subtracting(links) { count(link, of: source, -1) }
    }

    private mutating func count(_ link: RecordLink, of source: RecordKey, _ change: Int) {
        guard link.action == .deleteSelf else { return }
        targets[RecordKey(zone: source.zone, name: link.target)]?.owned? += change
    }

    /// Who points to `target` now; nil: it was not read.
    package func incoming(to target: RecordKey) -> [Incoming]? {
        guard var incoming = stored[target] else { return nil }
        guard !written.isEmpty else { return incoming }
        incoming.removeAll { written[RecordKey(zone: target.zone, name: $0.source)] != nil }
        for source in writers[target] ?? [] {
            for link in written[RecordKey(zone: target.zone, name: source)] ?? [] where link.target == target.name {
                incoming.append(Incoming(source: source, link: link))
            }
        }
        return incoming
    }
}
