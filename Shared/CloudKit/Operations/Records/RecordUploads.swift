internal import CloudKitModel
internal import Foundation

/// The assets of some changes whose files have to be uploaded before the records are saved.
struct RecordUploads: Sendable {
    private struct Part: Sendable {
        var change: Int
        var record: CKRecord
        var place: AssetPlace
        var upload: AssetUpload
    }

    private let count: Int
    private var parts: [Part] = []

    init(_ changes: [RecordChange], _ policy: CKModifyRecordsOperation.RecordSavePolicy) {
        count = changes.count
        for (index, change) in changes.enumerated() {
            guard case .save(let record) = change else { continue }
            for (place, file) in RecordCoding.newFiles(of: record, policy) {
                let upload = AssetUpload(
                    file: file, recordType: record.recordType, recordName: record.recordID.recordName,
                    fieldName: place.key)
                parts.append(Part(change: index, record: record, place: place, upload: upload))
            }
        }
    }

    /// Uploads the files.
    ///
    /// - Parameter progress: Called with the progress of a record's uploads.
    /// - Returns: The assets of each change, or the error of one of its uploads.
    func upload(
        to zoneID: CKRecordZone.ID, of database: WebDatabase,
        progress: @escaping @Sendable (CKRecord, Double) -> Void
    ) async -> [ItemResult<[AssetPlace: Asset]>] {
        var results = [ItemResult<[AssetPlace: Asset]>](repeating: .success([:]), count: count)
        guard !parts.isEmpty else { return results }
        let sent = Locked([Double](repeating: 0, count: parts.count))
        let answers = await database.assets.upload(parts.map(\.upload), database.json(of: zoneID)) { index, fraction in
            let part = parts[index]
            let ofRecord = sent.withLock { sent in
                sent[index] = fraction
                let fractions = parts.indices.filter { parts[$0].change == part.change }.map { sent[$0] }
                return fractions.reduce(0, +) / Double(fractions.count)
            }
            // The record itself is the last part.
            progress(part.record, min(ofRecord, 0.99))
        }
        for (part, answer) in zip(parts, answers) {
            guard case .success(var assets) = results[part.change] else { continue }
            switch answer {
            case .success(let asset):
                assets[part.place] = asset
                results[part.change] = .success(assets)
            case .failure(let error): results[part.change] = .failure(error)
            }
        }
        return results
    }
}
