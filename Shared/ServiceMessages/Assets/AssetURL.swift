/// The paths and URLs of the asset service.
package enum AssetURL {
    /// The first path component of upload URLs, `/upload/<ticket>`.
    package static let uploadPath = "upload"
    /// The first path component of download URLs, `/download/<grant>/<any name>`.
    package static let downloadPath = "download"

    /// Returns the URL to which a file is uploaded. `base` is the service's public address without a trailing slash.
    package static func upload(base: String, ticket: String) -> String { "\(base)/\(uploadPath)/\(ticket)" }

    /// Returns the URL from which an asset is downloaded. Clients may replace `${f}` with a file name (web-services
    /// 7.3).
    package static func download(base: String, grant: String) -> String {
        "\(base)/\(downloadPath)/\(grant)/${f}"
    }
}
