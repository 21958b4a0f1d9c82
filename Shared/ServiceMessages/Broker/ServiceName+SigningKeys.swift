package import SignedTokens

extension ServiceName {
    /// The purposes for which the service signs or verifies tokens. The service receives only the keys for these
    /// purposes.
    package var signingPurposes: [SigningKeys.Purpose] {
        SigningKeys.Purpose.allCases.filter { Self.users(of: $0).contains(self) }
    }

    /// Returns the services that need the keys for a purpose.
    private static func users(of purpose: SigningKeys.Purpose) -> [ServiceName] {
        switch purpose {
        case .syncToken, .queryMarker: [.record]
        case .assetUpload: [.asset]
        case .assetReceipt, .assetDownload: [.asset, .record]
        case .clientToken: [.subscription, .gateway]
        case .webAuthToken, .signIn: [.gateway]
        }
    }
}
