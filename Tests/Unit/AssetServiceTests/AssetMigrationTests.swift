import AssetService
import Testing
