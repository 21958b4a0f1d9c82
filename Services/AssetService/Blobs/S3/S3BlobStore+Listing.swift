internal import Foundation
internal import NIOHTTP1

extension S3BlobStore {
    /// The maximum size of a listing page, in bytes. It is enough for 1,000 keys of 1,024 bytes in which every
    /// character is escaped.
    private static let maxPageBytes = 8 << 20

    /// Each page corresponds to one page of the S3 listing; its place is the last key on it.
    package func page(after place: String?, olderThan age: Duration) async throws(BlobStoreError) -> BlobPage {
        let page = try await objects(of: blobs, after: place.map { blobs + $0 })
        let old = page.objects.filter { page.now.timeIntervalSince($0.changed) > age / .seconds(1) }
        let next = page.next == nil ? nil : page.objects.last.map { String($0.path.dropFirst(blobs.count)) }
        return BlobPage(keys: old.compactMap { BlobKey(String($0.path.dropFirst(blobs.count))) }, next: next)
    }

    package func discard(_ key: BlobKey) async throws(BlobStoreError) { try await move(path(of: key), to: trash(key)) }

    package func recover(_ key: BlobKey) async throws(BlobStoreError) -> Bool {
        try await move(trash(key), to: path(of: key))
    }

    private func trash(_ key: BlobKey) -> String { "\(trash)\(key)" }

    /// Copies an object and removes the original, because S3 cannot move objects. Returns false if the object does not
    /// exist.
    @discardableResult
    private func move(_ source: String, to target: String) async throws(BlobStoreError) -> Bool {
        guard let (size, _) = try await head(source) else { return false }
        try await copy(source, to: target, size: size)
        try await remove(source)
        return true
    }

    package func emptyTrash(olderThan age: Duration) async throws(BlobStoreError) -> Int {
        let page = try await objects(of: trash)
        var removed = 0
        for object in page.objects where page.now.timeIntervalSince(object.changed) > age / .seconds(1) {
            try await remove(object.path)
            removed += 1
        }
        return removed
    }

    package func removeAbandonedUploads() async throws(BlobStoreError) -> Int {
        try await abortAbandoned() + removeAbandonedObjects()
    }

    /// Aborts multipart uploads that began long ago and have received no part recently.
    private func abortAbandoned() async throws(BlobStoreError) -> Int {
        var count = 0
        var marker: (key: String, upload: String)?
        repeat {
            var request = listing([("uploads", ""), ("prefix", configuration.prefix)])
            if let marker { request.query += [("key-marker", marker.key), ("upload-id-marker", marker.upload)] }
            let (page, now) = try await page(request)
            for upload in page.all("Upload") {
                guard let key = upload["Key"], let id = upload["UploadId"],
                    let begun = upload["Initiated"].flatMap({ S3Time.listed($0) })
                else { throw BlobStoreError("S3: \(request.name): an upload in the response lacks a key, id or time") }
                guard key.hasPrefix(configuration.prefix), isAbandoned(begun, now),
                    isAbandoned(S3Upload.begun(key.dropFirst(incoming.count)) ?? begun, now),
                    try await !hasYoungPart(key, upload: id)
                else { continue }
                try await abort(key, upload: id)
                count += 1
            }
            marker = try next(of: page, request) {
                guard let key = $0["NextKeyMarker"], let upload = $0["NextUploadIdMarker"] else { return nil }
                return (key, upload)
            }
        } while marker != nil
        return count
    }

    /// Aborts a multipart upload unless it has ended.
    func abort(_ path: String, upload: String) async throws(BlobStoreError) {
        do throws(S3Failure) {
            _ = try await client.send(S3Request(method: .DELETE, key: path, query: [("uploadId", upload)]))
        } catch {
            guard error.status == 404 else { throw BlobStoreError(error) }
        }
    }

    /// Whether an upload has received a part recently.
    private func hasYoungPart(_ path: String, upload: String) async throws(BlobStoreError) -> Bool {
        var marker: String?
        repeat {
            var request = listing([("uploadId", upload)])
            request.key = path
            if let marker { request.query.append(("part-number-marker", marker)) }
            let answer: S3Answer
            do throws(S3Failure) {
                answer = try await client.send(request)
            } catch {
                // The upload has just ended, so it is not abandoned.
                guard error.status != 404 else { return true }
                throw BlobStoreError(error)
            }
            guard let page = answer.document else { return true }
            for part in page.all("Part") {
                guard let changed = part["LastModified"].flatMap({ S3Time.listed($0) }) else { return true }
                if !isAbandoned(changed, answer.date) { return true }
            }
            marker = try next(of: page, request) { $0["NextPartNumberMarker"] }
        } while marker != nil
        return false
    }

    /// Removes complete objects that were never copied to their keys.
    private func removeAbandonedObjects() async throws(BlobStoreError) -> Int {
        var count = 0
        var page = try await objects(of: incoming)
        while true {
            for object in page.objects where isAbandoned(object.changed, page.now) {
                try await remove(object.path)
                count += 1
            }
            guard let next = page.next else { return count }
            page = try await objects(of: incoming, from: next)
        }
    }

    private func isAbandoned(_ changed: Date, _ now: Date) -> Bool {
        now.timeIntervalSince(changed) > abandonedAge / .seconds(1)
    }

    /// A page of a listing.
    private struct Page {
        var objects: [(path: String, changed: Date)] = []
        /// The server's time.
        let now: Date
        /// The token of the next page; nil after the last page.
        let next: String?
    }

    private func objects(
        of prefix: String, from token: String? = nil, after key: String? = nil
    ) async throws(BlobStoreError) -> Page {
        var request = listing([("list-type", "2"), ("prefix", prefix)])
        if let key { request.query.append(("start-after", key)) }
        if let token { request.query.append(("continuation-token", token)) }
        let (document, now) = try await page(request)
        var page = Page(now: now, next: try next(of: document, request) { $0["NextContinuationToken"] })
        for object in document.all("Contents") {
            guard let path = object["Key"], let changed = object["LastModified"].flatMap({ S3Time.listed($0) })
            else { throw BlobStoreError("S3: \(request.name): an object in the response lacks a key or time") }
            // Some servers also return objects with other prefixes.
            if path.hasPrefix(prefix) { page.objects.append((path, changed)) }
        }
        return page
    }

    private func listing(_ query: [(name: String, value: String)]) -> S3Request {
        S3Request(
            method: .GET, query: query, maxAnswerBytes: Self.maxPageBytes, isAnsweredByDocument: true)
    }

    private func page(_ request: S3Request) async throws(BlobStoreError) -> (S3Document, now: Date) {
        let answer = try await send(request)
        guard let document = answer.document else {
            throw BlobStoreError("S3: \(request.name): the response contains no document")
        }
        return (document, answer.date)
    }

    /// Reads the marker of the next page. Returns nil after the last page. A truncated page without a marker is an
    /// error; otherwise, the same page would be read forever or mistaken for the last one.
    private func next<Marker>(
        of page: S3Document, _ request: S3Request, _ read: (S3Document) -> Marker?
    ) throws(BlobStoreError) -> Marker? {
        guard page["IsTruncated"] == "true" else { return nil }
        guard let marker = read(page) else {
            throw BlobStoreError("S3: \(request.name): the response contains no marker for the next page")
        }
        return marker
    }
}
