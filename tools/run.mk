# Running: packages, third-party files of the browser UI, the suite in the foreground.
# Included by the Makefile.

# Packages needed to run the suite, and further ones for its tests; installed when missing.
packages-run:
	@tools/install-packages run

packages-test packages-fuzz packages-valgrind packages-deb packages-scale: packages-%:
	@tools/install-packages $*

# The files that pages load from /vendor/: pinned in static/package-lock.json.
vendor: static/vendor/.complete

static/vendor/.complete: static/package.json static/package-lock.json $(wildcard static/tools/*.js)
	cd static && npm ci --no-audit --no-fund --ignore-scripts && npm run --silent vendor
	@touch $@

# Packages, programs, files of the pages, then the suite with its demonstration until Ctrl-C.
run:
	@exec tools/run-demo --build

.PHONY: packages-run packages-test packages-fuzz packages-valgrind packages-deb packages-scale vendor run
