internal import Foundation

/// What a blob's generation says about how its file is stored.
///
/// A plain file's generation is a random UUID, of version 4. That of an encrypted file is of version 8, which is its
/// maker's to fill: four bytes tell the master key, two the format, 74 bits are random. So the row tells what the file
/// must be before it is opened: no content, whatever it begins with, is taken for the other kind; a file that was put in
/// another's place is found out; and the blobs of one master key are one range of an index.
struct SealedGeneration: Sendable, Equatable {
    /// The ``EncryptionKeys/MasterKey/fingerprint`` of the key that wraps the blob's.
    let fingerprint: UInt32
    /// The ``SealedFormat`` of the file.
    let format: UInt16

    init(fingerprint: UInt32, format: UInt16 = SealedFormat.version) {
        self.fingerprint = fingerprint
        self.format = format
    }

    /// What a generation says; nil when the file is plain.
    init?(_ generation: UUID) {
        let bytes = withUnsafeBytes(of: generation.uuid) { Array($0) }
        guard bytes[6] >> 4 == 8 else { return nil }
        fingerprint = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        format = UInt16(bytes[4]) << 8 | UInt16(bytes[5])
    }

    /// A generation that was never there.
    func make() -> UUID { filled(UUID()) }

    /// The first and the last generation that ``make()`` may give, in the database's order.
    var bounds: (first: UUID, last: UUID) {
        func all(_ byte: UInt8) -> UUID { UUID { $0.initializeMemory(as: UInt8.self, repeating: byte) } }
        return (filled(all(0)), filled(all(0xFF)))
    }

    /// A UUID with another head.
    private func filled(_ rest: UUID) -> UUID {
        UUID { bytes in
            withUnsafeBytes(of: rest.uuid) { bytes.copyMemory(from: $0) }
            withUnsafeBytes(of: fingerprint.bigEndian) { bytes.copyMemory(from: $0) }
            bytes.storeBytes(of: format.bigEndian, toByteOffset: 4, as: UInt16.self)
            bytes[6] = 0x80 | bytes[6] & 0x0F
            bytes[8] = 0x80 | bytes[8] & 0x3F
        }
    }
}

extension UUID {
    /// The UUID whose 16 bytes `fill` writes.
    fileprivate init(_ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid, fill)
        self.init(uuid: uuid)
    }
}
