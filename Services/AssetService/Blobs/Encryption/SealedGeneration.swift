internal import Foundation

/// The information in a generation about how its file is encrypted.
///
/// The generation of a plain file is a random version 4 UUID. The generation of an encrypted file is a version 8 UUID,
/// which is application-defined: four bytes identify the master key, two identify the format, and 74 bits are random.
/// The blob's row in the database therefore reveals the format before the file is opened. Plain and encrypted content
/// cannot be mistaken for each other, a file that was substituted for another is detected, and the blobs of one master
/// key form one range of an index.
struct SealedGeneration: Sendable, Equatable {
    /// The ``EncryptionKeys/MasterKey/fingerprint`` of the master key.
    let fingerprint: UInt32
    /// The version of the file's ``SealedFormat``.
    let format: UInt16

    init(fingerprint: UInt32, format: UInt16 = SealedFormat.version) {
        self.fingerprint = fingerprint
        self.format = format
    }

    /// Decodes a generation; nil if the file is plain.
    init?(_ generation: UUID) {
        let bytes = withUnsafeBytes(of: generation.uuid) { Array($0) }
        guard bytes[6] >> 4 == 8 else { return nil }
        fingerprint = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        format = UInt16(bytes[4]) << 8 | UInt16(bytes[5])
    }

    /// Returns a new generation.
    func make() -> UUID { filled(UUID()) }

    /// The first and the last generation that ``make()`` can return, in the database's sort order.
    var bounds: (first: UUID, last: UUID) {
        func all(_ byte: UInt8) -> UUID { UUID { $0.initializeMemory(as: UInt8.self, repeating: byte) } }
        return (filled(all(0)), filled(all(0xFF)))
    }

    /// Returns a UUID with this value's fingerprint and format; the remaining bits are taken from `rest`.
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
    /// Creates a UUID whose 16 bytes are written by `fill`.
    fileprivate init(_ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid, fill)
        self.init(uuid: uuid)
    }
}
