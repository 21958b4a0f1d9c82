internal import GatewayStorage

/// The pages to which links lead. The pages need not contain the link, because each form is submitted to the page's own
/// URL.
enum LinkPages {
    /// Returns the page on which a user signs in. It is the same for every link.
    ///
    /// - Parameter problem: the error from the last attempt, as shown to the user.
    static func signIn(
        _ ticket: CSRFGuard.Ticket, email: String = "", status: Int = 200, problem: String? = nil,
        retryAfter: Int? = nil
    ) -> GatewayAnswer {
        let content = signInTemplate.filled([
            "proof": ticket.field, "email": email, "problem": SignInPages.alert(problem),
        ])
        return SignInPages.page(
            "Shared with you", content, status: status, cookie: ticket.cookie, retryAfter: retryAfter)
    }

    /// Returns the page for a share that the user may accept.
    static func share(
        _ share: LinkQuestions.Share, for account: Account, _ ticket: CSRFGuard.Ticket
    ) -> GatewayAnswer {
        let content = shareTemplate.filled([
            "title": title(of: share), "container": share.container, "email": account.email, "proof": ticket.field,
            "right": share.isWritable ? "You will be able to read and change it." : "You will be able to read it.",
        ])
        return SignInPages.page(title(of: share), content, cookie: ticket.cookie)
    }

    /// Returns the page for a share to which the user has access.
    static func accepted(_ share: LinkQuestions.Share) -> GatewayAnswer {
        SignInPages.notice(
            title(of: share), "You have access. To see it, open the application that uses \(share.container).",
            status: 200)
    }

    /// Returns the page for a share to which the user may request access. It shows nothing of the share.
    ///
    /// - Parameter isInvited: whether the share has pending invitations to other email addresses.
    static func mayRequest(for account: Account, isInvited: Bool, _ ticket: CSRFGuard.Ticket) -> GatewayAnswer {
        let hint =
            isInvited
            ? "If you were invited by email, sign in with the account of that email address." : ""
        return SignInPages.page(
            "Request access",
            requestTemplate.filled(["email": account.email, "proof": ticket.field, "hint": hint]),
            status: 403, cookie: ticket.cookie)
    }

    /// The page for a user whose request for access has not been answered.
    static var requested: GatewayAnswer {
        SignInPages.notice(
            "Access requested",
            "The owner has not answered your request yet. When it has been approved, open this link again.",
            status: 200)
    }

    /// The page for a share to which the maximum number of users have requested access.
    static var tooManyRequesters: GatewayAnswer {
        SignInPages.notice(
            "Too many requests",
            "Other users have requested access, and the owner has not answered them yet. Try again later.",
            status: 403)
    }

    /// The page for a link that is unknown or is not for the user, or whose share has ended.
    static var unknown: GatewayAnswer {
        SignInPages.notice(
            "Nothing to see here", "This link leads nowhere, or to something that is not shared with you.",
            status: 404)
    }

    /// The page for a share whose pending invitations were sent to other email addresses.
    static var notVerified: GatewayAnswer {
        SignInPages.notice(
            "Sent to another address",
            """
            The invitation names another email address. Ask the owner to send an invitation to your account's email \
            address.
            """,
            status: 403)
    }

    /// The page for a share that the maximum number of users have joined.
    static var full: GatewayAnswer {
        SignInPages.notice("No places left", "The maximum number of users have joined through this link.", status: 403)
    }

    private static func title(of share: LinkQuestions.Share) -> String {
        share.title.flatMap { $0.isEmpty ? nil : $0 } ?? "Shared with you"
    }

    private static let signInTemplate = PageTemplate(PackageResources.linksignin_html)
    private static let shareTemplate = PageTemplate(PackageResources.link_html)
    private static let requestTemplate = PageTemplate(PackageResources.linkrequest_html)
}
