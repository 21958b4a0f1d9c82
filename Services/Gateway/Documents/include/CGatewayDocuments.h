#include <stddef.h>

/// A text that is part of the program: UTF-8, valid for the program's life.
struct zonda_text {
    const unsigned char *bytes;
    size_t length;
};

/// Returns the OpenAPI document, `deploy/docs/openapi.yaml`.
struct zonda_text zonda_openapi_document(void);

/// Returns the page that shows the document, `page.html` in this module's folder, with the places `{{nonce}}`.
struct zonda_text zonda_openapi_page(void);
