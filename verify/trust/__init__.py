"""Is this the file, and is it whole? No database here, and no product.

`source` opens files without trusting a name; `manifest` reads what the export says of itself and
holds it against what is there; `tap` hands out bytes while it hashes them, so that what is parsed
is what was hashed, in any of its forms (`inflate`, `archive`); `strictjson` is JSON read the way
RFC 8259 means it; `sweep` holds every byte of a file to that, in several processes.
"""
