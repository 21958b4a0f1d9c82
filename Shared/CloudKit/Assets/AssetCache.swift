internal import CloudKitModel
internal import Synchronization

/// The library's own copies of fetched assets: one file for each content, named after its checksum.
///
/// Several processes use the folder. It may be cleaned at any time: files that have not been fetched for a long time,
/// and the oldest ones if all together are too large, are removed.
final class AssetCache: Sendable {
    /// What is removed from the folder.
    struct Limits: Sendable {
        /// The largest total size, in bytes. Files that were fetched within ``protected`` stay even if they exceed it.
        var maxBytes: Int64 = 1 << 30
        /// How long a file stays after it was last fetched.
        var maxAge: TimeInterval = 30 * 24 * 3600
        /// How long a file stays in any case, so that applications can copy or move it.
        var protected: TimeInterval = 600
        /// The shortest time between two cleanings.
        var period: TimeInterval = 60
    }

    /// The cache of this process: in `ZONDA_CACHE_DIRECTORY`, `$XDG_CACHE_HOME/zonda/assets`, or
    /// `~/.cache/zonda/assets`.
    static let shared = AssetCache(folder: defaultFolder(ProcessInfo.processInfo.environment))

    /// The folder.
    let folder: String
    private let limits: Limits
    private let downloads = Mutex<[String: Task<Result<URL, CKError>, Never>]>([:])
    private let cleanedAt = Mutex(Date.distantPast)

    /// Creates a cache. The folder is made when the first file is stored.
    init(folder: String, limits: Limits = Limits()) {
        self.folder = folder
        self.limits = limits
    }

    static func defaultFolder(_ environment: [String: String]) -> String {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        return value("ZONDA_CACHE_DIRECTORY")
            ?? (value("XDG_CACHE_HOME") ?? value("HOME").map { "\($0)/.cache" } ?? NSTemporaryDirectory())
            + "/zonda/assets"
    }

    /// Returns a file with the content of an asset. Downloads it if the cache does not have it; several callers share a
    /// download.
    ///
    /// - Throws: ``CKError/Code/assetNotAvailable`` if the content cannot be downloaded or stored, or a network error.
    func file(of asset: Asset, from connection: WebConnection) async throws(CKError) -> URL {
        guard let checksum = asset.fileChecksum, let size = asset.size, let url = asset.downloadURL else {
            throw CKError(.assetNotAvailable, "The server has not said where the asset can be downloaded.")
        }
        let name = ContentDigest.fileName(checksum)
        let task = downloads.withLock { downloads in
            if let task = downloads[name] { return task }
            let task = Task { [self] in
                let result: Result<URL, CKError>
                do throws(CKError) {
                    result = .success(try await find(name, checksum, size, from: url, connection))
                } catch {
                    result = .failure(error)
                }
                self.downloads.withLock { $0[name] = nil }
                return result
            }
            downloads[name] = task
            return task
        }
        return try await task.value.get()
    }

    private func find(
        _ name: String, _ checksum: String, _ size: Int64, from url: String, _ connection: WebConnection
    ) async throws(CKError) -> URL {
        let path = "\(folder)/\(name)"
        if await contains(path, checksum, size) { return URL(fileURLWithPath: path) }
        await clean()
        let draft = try await AssetDraft(in: folder, name: name)
        do throws(CKError) {
            try await AssetDownload(url: url, checksum: checksum, size: size, connection: connection).fill(draft)
            try await draft.finish(as: path)
        } catch {
            await draft.discard()
            throw error
        }
        return URL(fileURLWithPath: path)
    }

    /// Whether a file has the content. An application could have changed it. Notes that it was fetched.
    private func contains(_ path: String, _ checksum: String, _ size: Int64) async -> Bool {
        guard let file = try? await AssetSourceFile(URL(fileURLWithPath: path)), file.size == size else { return false }
        if ContentDigest.isVerifiable(checksum) {
            guard let found = try? await file.checksum(), found == checksum else { return false }
        }
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path)
        return true
    }

    /// Removes what exceeds the limits, unless this was done a short time ago.
    func clean(at now: Date = Date()) async {
        let isDue = cleanedAt.withLock { cleaned in
            guard now.timeIntervalSince(cleaned) >= limits.period else { return false }
            cleaned = now
            return true
        }
        guard isDue else { return }
        _ = try? await offThread { () throws(CKError) in Self.clean(self.folder, self.limits, at: now) }
    }

    private static func clean(_ folder: String, _ limits: Limits, at now: Date) {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
        let folder = URL(fileURLWithPath: folder)
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))
        var kept: [(url: URL, changed: Date, size: Int64)] = []
        for url in files ?? [] {
            guard let values = try? url.resourceValues(forKeys: keys), let changed = values.contentModificationDate
            else { continue }
            if now.timeIntervalSince(changed) > limits.maxAge {
                try? FileManager.default.removeItem(at: url)
            } else {
                kept.append((url, changed, Int64(values.fileSize ?? 0)))
            }
        }
        var total = kept.reduce(0) { $0 + $1.size }
        for file in kept.sorted(by: { $0.changed < $1.changed }) {
            guard total > limits.maxBytes, now.timeIntervalSince(file.changed) > limits.protected else { return }
            try? FileManager.default.removeItem(at: file.url)
            total -= file.size
        }
    }
}
