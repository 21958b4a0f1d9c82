import Foundation
import TestSupport

/// A page of the gateway with a form, filled in and submitted as a browser does.
struct SignInForm: Sendable {
    /// Where it came from.
    let page: AssetClient.Response
    /// What is submitted; at first what the page hides in it.
    var fields: [String: String]

    /// Opens a page.
    init(_ url: String) async throws {
        page = try await AssetClient.get(url)
        var fields: [String: String] = [:]
        for match in page.text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/) {
            fields[String(match.1)] = String(match.2)
        }
        self.fields = fields
    }

    /// Submits it to a path of the gateway, with the page's cookie unless another browser is meant.
    func submit(
        _ path: String, to stack: ServiceStack, withCookie: Bool = true
    ) async throws -> AssetClient.Response {
        let body = fields.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        let cookie = page.headers["set-cookie"].map { ["cookie": String($0.prefix { $0 != ";" })] } ?? [:]
        return try await AssetClient.upload(
            Array(body.utf8), to: stack.gatewayURL + path, contentType: "application/x-www-form-urlencoded",
            headers: withCookie ? cookie : [:])
    }

    /// A value as it stands in a form or a query.
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
