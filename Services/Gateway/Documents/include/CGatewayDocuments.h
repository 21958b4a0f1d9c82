#include <stddef.h>

/// A text in UTF-8 that is part of the program and valid for the program's lifetime.
struct zonda_text {
    const unsigned char *bytes;
    size_t length;
};

/// Returns the OpenAPI document, `deploy/docs/openapi.yaml`.
struct zonda_text zonda_openapi_document(void);

/// Returns the page that shows the document, `page.html` in this module's folder, in which `{{nonce}}` is a placeholder.
struct zonda_text zonda_openapi_page(void);
