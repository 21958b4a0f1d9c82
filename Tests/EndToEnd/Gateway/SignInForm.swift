import Foundation
import TestSupport

/// A page of the gateway with a form, which is filled in and submitted as by a browser.
struct SignInForm: Sendable {
    /// The page with the form.
    let page: AssetClient.Response
    /// The fields to submit. Initially, these are the hidden fields of the page.
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

    /// Submits the form to a path of the gateway, with the page's cookie unless the request imitates another browser.
    func submit(
        _ path: String, to stack: ServiceStack, withCookie: Bool = true
    ) async throws -> AssetClient.Response {
        let body = fields.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        let cookie = page.headers["set-cookie"].map { ["cookie": String($0.prefix { $0 != ";" })] } ?? [:]
        return try await AssetClient.upload(
            Array(body.utf8), to: stack.gatewayURL + path, contentType: "application/x-www-form-urlencoded",
            headers: withCookie ? cookie : [:])
    }

    /// Returns a value encoded for a form or a query.
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
