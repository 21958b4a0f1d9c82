package import Foundation

/// The mark in a store that identifies the database to which the store belongs.
package struct StoreMark: Sendable, Equatable {
    /// The id that the store and the database share.
    package var id: UUID
    /// The epoch, a number that each adoption increments. The store belongs to the database with the same epoch.
    package var epoch: Int64

    /// Creates a mark. The first epoch is 1.
    package init(id: UUID, epoch: Int64 = 1) { (self.id, self.epoch) = (id, epoch) }

    /// Parses the ``text`` of a mark; returns nil if it is malformed. If the text contains no number, the epoch is 1.
    init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard let first = words.first, words.count <= 2, let id = UUID(uuidString: String(first)) else { return nil }
        guard let epoch = words.count == 1 ? 1 : Int64(words[1]) else { return nil }
        self.init(id: id, epoch: epoch)
    }

    /// One line with the id and the epoch. Epoch 1 is omitted, as in stores that were created before epochs existed.
    var text: String { id.uuidString.lowercased() + (epoch == 1 ? "" : " \(epoch)") + "\n" }
}
