internal import Foundation
package import ServiceRuntime

/// The settings of a store in S3. S3 is used if the bucket is set.
package struct S3Settings: SettingGroup {
    package let bucket = Setting(
        optional: "asset.s3.bucket", .s3Name, "the bucket for the blobs, instead of a folder")
    let region = Setting("asset.s3.region", .s3Name, default: "us-east-1", "the bucket's region")
    let endpoint = Setting(
        optional: "asset.s3.endpoint", .s3Endpoint, absence: "Amazon's server for the region",
        "the server, without a path")
    let pathStyle = Setting(
        optional: "asset.s3.pathStyle", .flag, absence: "`true` if an endpoint is set, else `false`",
        "whether URLs contain the bucket in the path rather than in the host name")
    let prefix = Setting(
        optional: "asset.s3.prefix", .s3Prefix, "the prefix of all keys, for a bucket that also contains other data")
    let accessKey = Setting(
        optional: "asset.s3.accessKey", .text, absence: "required with `asset.s3.bucket`", "the access key id")
    let secretKey = Setting(
        optional: "asset.s3.secretKey", .secret, absence: "required with `asset.s3.bucket` unless the file is set",
        "the secret access key")
    let secretKeyFile = Setting(
        optional: "asset.s3.secretKeyFile", .secretFile,
        absence: "required with `asset.s3.bucket` unless the secret is set",
        "a file that contains the secret access key")
    let partBytes = Setting(
        "asset.s3.partBytes", .integer(S3Configuration.minPartBytes...1 << 30, unit: "bytes"), default: 8 << 20,
        "the size of a part, which each upload keeps in memory; at least 1/10,000 of `asset.maxBytes`")

    /// Creates the settings.
    package init() {}

    /// Returns the configuration; nil if no bucket is set.
    ///
    /// - Throws: a ``SettingError`` that names a missing setting.
    package func configuration(_ values: SettingValues) throws(SettingError) -> S3Configuration? {
        guard let bucket = values[bucket] else { return nil }
        guard let accessKey = values[accessKey] else {
            throw SettingError(self.accessKey.name.variable, "must be set together with \(self.bucket.name.variable)")
        }
        let secret: Secret
        switch (values[secretKey], values[secretKeyFile]) {
        case (let key?, nil), (nil, let key?): secret = key
        case (nil, nil):
            throw SettingError(
                secretKeyFile.name.variable,
                "or \(secretKey.name.variable) must be set together with \(self.bucket.name.variable)")
        case (.some, .some):
            throw SettingError(secretKeyFile.name.variable, "must not be set together with \(secretKey.name.variable)")
        }
        let endpoint = values[endpoint]
        return S3Configuration(
            bucket: bucket, region: values[region], endpoint: endpoint,
            isPathStyle: values[pathStyle] ?? (endpoint != nil), prefix: values[prefix] ?? "", accessKey: accessKey,
            secretKey: secret, partBytes: values[partBytes])
    }
}

extension SettingType where Value == String {
    /// A bucket or a region: a valid host name.
    fileprivate static var s3Name: Self {
        SettingType("name", allowed: "1 to 63 lower-case letters, digits, `-`, `.`") { text throws(SettingRefusal) in
            let isGood = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
            guard isGood, (1...63).contains(text.utf8.count), text.first != ".", text.last != ".", !text.contains("..")
            else { throw SettingRefusal("must consist of 1 to 63 lower-case letters, digits, '-' and '.'") }
            return text
        }
    }

    /// A key prefix.
    fileprivate static var s3Prefix: Self {
        SettingType("text", allowed: "at most 200 letters, digits, `-`, `_`, `.`, `/`") { text throws(SettingRefusal) in
            let isGood = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: "/"):
                    true
                default: false
                }
            }
            var parts = text.split(separator: "/", omittingEmptySubsequences: false)
            // A trailing slash is optional.
            if parts.last == "" { parts.removeLast() }
            guard isGood, text.utf8.count <= 200, !parts.isEmpty,
                parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
            else {
                throw SettingRefusal(
                    "must consist of parts of letters, digits, '-', '_' and '.', separated by '/', "
                        + "and be at most 200 bytes long")
            }
            return text
        }
    }

    /// A URL without a path, user or query.
    fileprivate static var s3Endpoint: Self {
        SettingType("URL", allowed: "`http://host:port`, `https://host`", isQuoted: false) {
            text throws(SettingRefusal) in
            guard let url = URLComponents(string: text), url.scheme == "http" || url.scheme == "https",
                let host = url.host, !host.isEmpty, url.path.isEmpty || url.path == "/", url.user == nil,
                url.password == nil, url.query == nil, url.fragment == nil
            else { throw SettingRefusal("must be an http:// or https:// URL with a host and no user, path or query") }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }
}

extension SettingType where Value == Secret {
    /// The path of a file that contains a secret. Leading and trailing white space in the file is ignored. Errors never
    /// quote the value, because it might be the secret itself.
    fileprivate static var secretFile: Self {
        SettingType("path", isQuoted: false) { path throws(SettingRefusal) in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw SettingRefusal("must name a file that can be read")
            }
            let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !secret.isEmpty else { throw SettingRefusal("must name a file that contains a secret") }
            return Secret(secret)
        }
    }
}
