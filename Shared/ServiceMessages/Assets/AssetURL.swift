/// The asset service's paths.
package enum AssetURL {
    /// Uploads go to `/upload/<ticket>`.
    package static let uploadPath = "upload"
    /// Downloads come from `/download/<grant>/<any name>`.
    package static let downloadPath = "download"

    /// Where a file is uploaded to. `base` is the service's public address without a slash at the end.
    package static func upload(base: String, ticket: String) -> String { "\(base)/\(uploadPath)/\(ticket)" }

    /// Where an asset is fetched from. Clients may put a file name in the place of `${f}` (web-services 7.3).
    package static func download(base: String, grant: String) -> String {
        "\(base)/\(downloadPath)/\(grant)/${f}"
    }
}
