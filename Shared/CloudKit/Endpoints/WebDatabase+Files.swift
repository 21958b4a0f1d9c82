internal import CloudKitModel

extension WebDatabase {
    /// Downloads the files of the assets of records. A record whose file cannot be had is an error of this record.
    func withFiles(_ results: [ItemResult<CKRecord>]) async -> [ItemResult<CKRecord>] {
        var places: [(result: Int, place: AssetPlace, asset: Asset)] = []
        for (index, result) in results.enumerated() {
            guard case .success(let record) = result else { continue }
            for (place, asset) in RecordCoding.fetchedAssets(of: record) { places.append((index, place, asset)) }
        }
        guard !places.isEmpty else { return results }
        let wanted = places
        let files = await AssetUploads.each(wanted.indices) { index throws(CKError) in
            try await assets.download(wanted[index].asset)
        }
        var results = results
        for (wanted, file) in zip(wanted, files) {
            guard case .success(let record) = results[wanted.result] else { continue }
            switch file {
            case .success(let url): RecordCoding.setFile(url, at: wanted.place, in: record)
            case .failure(let error): results[wanted.result] = .failure(error)
            }
        }
        return results
    }
}
