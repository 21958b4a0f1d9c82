internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import GatewayStorage
internal import HTTPTypes

/// The sign-in pages. The headers of each response prevent framing and caching, and block foreign scripts and styles.
enum SignInPages {
    /// The form of the sign-in page.
    struct Form: Sendable {
        /// The API token of the application.
        var token: APIToken
        /// The recipient of the web auth token.
        var target: SignInTarget
        /// The content of the ``SignInLink`` that led to the page.
        var link: String
        /// The text that is returned to the application with the token. It can be empty.
        var state: String
        /// The cookie and the hidden field.
        var ticket: CSRFGuard.Ticket
        /// The email address of the previous attempt.
        var email = ""
        /// Whether the user chose, in the previous attempt, to stay signed in.
        var staysSignedIn = false
    }

    /// Returns the sign-in page.
    ///
    /// - Parameter problem: the error from the last attempt, as shown to the user.
    static func signIn(
        _ form: Form, status: Int = 200, problem: String? = nil, retryAfter: Int? = nil
    ) -> GatewayAnswer {
        let content = signInTemplate.filled([
            "application": form.token.name, "container": form.token.container,
            "environment": form.token.environment.rawValue, "target": form.target.text, "link": form.link,
            "state": form.state, "proof": form.ticket.field, "email": form.email,
            "kept": form.staysSignedIn ? " checked" : "",
            "problem": alert(problem),
        ])
        return page(
            "Sign in", content, status: status, formAction: form.target.formAction, cookie: form.ticket.cookie,
            retryAfter: retryAfter)
    }

    /// Returns the page on which a user signs out of all devices.
    static func signOut(
        _ ticket: CSRFGuard.Ticket, email: String = "", status: Int = 200, problem: String? = nil,
        retryAfter: Int? = nil
    ) -> GatewayAnswer {
        let content = signOutTemplate.filled(["proof": ticket.field, "email": email, "problem": alert(problem)])
        return page(
            "Sign out of all devices", content, status: status, cookie: ticket.cookie, retryAfter: retryAfter)
    }

    /// Returns a page with a title and text.
    ///
    /// - Parameter command: a command that an operator can run to solve the problem.
    static func notice(
        _ title: String, _ text: String, status: Int, command: String? = nil, retryAfter: Int? = nil
    ) -> GatewayAnswer {
        let command = command.map { commandTemplate.filled(["text": $0]) } ?? ""
        let content = noticeTemplate.filled(["title": title, "text": text, "command": command])
        return page(title, content, status: status, retryAfter: retryAfter)
    }

    /// Replaces the JSON of an error with a page. Other responses are returned unchanged.
    static func error(_ answer: GatewayAnswer) -> GatewayAnswer {
        guard let error = answer.error else { return answer }
        return notice(
            "Something went wrong", "\(error.reason).", status: answer.status,
            retryAfter: error.retryAfter)
    }

    /// Returns a page that posts a message to the window that opened the page. The message is posted only if that
    /// window has one of the given origins (web-services 4.2).
    static func delivery(_ title: String, _ text: String, message: JSONValue, to origins: [String]) -> GatewayAnswer {
        let nonce = nonce()
        let content = deliveryTemplate.filled([
            "title": title, "text": text, "nonce": nonce, "message": script(message),
            "origins": script(.array(origins.map { .string($0) })),
        ])
        return page(title, content, nonce: nonce, hasScript: true)
    }

    /// Returns a page that redirects to another address.
    static func redirect(to url: String) -> GatewayAnswer {
        var answer = notice("Signing in", "You are being redirected to the application.", status: 303)
        answer.headers[.location] = url
        return answer
    }

    /// Returns a static page. Its template has a `nonce` placeholder for the style.
    static func document(_ template: PageTemplate) -> GatewayAnswer {
        let nonce = nonce()
        return answer(template.filled(["nonce": nonce]), nonce: nonce)
    }

    /// Returns a page with a title and content.
    static func page(
        _ title: String, _ content: String, status: Int = 200, nonce: String = nonce(), hasScript: Bool = false,
        formAction: String? = nil, cookie: String? = nil, retryAfter: Int? = nil
    ) -> GatewayAnswer {
        let html = frameTemplate.filled(["title": title, "nonce": nonce, "content": content])
        var answer = answer(html, status: status, nonce: nonce, hasScript: hasScript, formAction: formAction)
        answer.headers[.cacheControl] = "no-store"
        answer.headers[.setCookie] = cookie
        answer.headers[.retryAfter] = retryAfter.map(String.init)
        return answer
    }

    private static func answer(
        _ html: String, status: Int = 200, nonce: String, hasScript: Bool = false, formAction: String? = nil
    ) -> GatewayAnswer {
        var policy = "default-src 'none'; style-src 'nonce-\(nonce)'; base-uri 'none'; frame-ancestors 'none'"
        policy += "; form-action 'self'\(formAction.map { " \($0)" } ?? "")"
        if hasScript { policy += "; script-src 'nonce-\(nonce)'" }
        var headers: HTTPFields = [.contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff"]
        headers[frameOptions] = "DENY"
        headers[referrerPolicy] = "no-referrer"
        return GatewayAnswer(
            status: status, contentType: "text/html; charset=UTF-8", Array(html.utf8), headers: headers)
    }

    /// Returns the part of a page that shows an error; empty if there is no error.
    static func alert(_ problem: String?) -> String {
        problem.map { problemTemplate.filled(["text": $0]) } ?? ""
    }

    /// Returns JSON for a script element. Characters that could end the element or a line are escaped.
    static func script(_ value: JSONValue) -> String {
        var text = ""
        for scalar in String(decoding: value.encoded(), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "<": text += "\\u003c"
            case ">": text += "\\u003e"
            case "&": text += "\\u0026"
            case "\u{2028}": text += "\\u2028"
            case "\u{2029}": text += "\\u2029"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    static func nonce() -> String {
        Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    // The names are valid, so the results are never nil.
    private static let frameOptions = HTTPField.Name("X-Frame-Options")!
    private static let referrerPolicy = HTTPField.Name("Referrer-Policy")!

    private static let frameTemplate = PageTemplate(PackageResources.frame_html)
    private static let signInTemplate = PageTemplate(PackageResources.signin_html)
    private static let signOutTemplate = PageTemplate(PackageResources.signout_html)
    private static let problemTemplate = PageTemplate(PackageResources.problem_html)
    private static let noticeTemplate = PageTemplate(PackageResources.notice_html)
    private static let commandTemplate = PageTemplate(PackageResources.command_html)
    private static let deliveryTemplate = PageTemplate(PackageResources.delivery_html)
}
