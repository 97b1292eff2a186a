# Assay: one static library, a responder per folder of fcgi-bin/, a program per folder of cron-bin/.
# The two commands that matter: `make run` and `make test`. `make help` lists the rest.

SHELL = /bin/bash
CC = gcc
SANITIZE =
FUZZER =
# Every build of its own kind has a folder of its own.
BUILD = build$(if $(FUZZER),/fuzzer,$(if $(SANITIZE),/sanitized))
PYTHON = /usr/bin/python3

# Rows of constant tables leave their trailing members 0 on purpose.
WARNINGS = -Wall -Wextra -Wno-missing-field-initializers -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes \
           -Wwrite-strings -Wformat=2 -Wvla -Wundef
# What debuggers read of types and variables stands once, beside the objects (.dwo), and not in each of the 77 programs.
# Version 4 of DWARF: valgrind 3.19 cannot read the split files of version 5.
CFLAGS = -O2 -g -gdwarf-4 -gsplit-dwarf
SANITIZER_FLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all) \
                  $(if $(FUZZER),-fsanitize=fuzzer-no-link)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -fPIE -D_FORTIFY_SOURCE=2 -fstack-protector-strong \
             -ffunction-sections -fdata-sections $(SANITIZER_FLAGS) -Icommon -Ifcgi-bin -isystem /usr/include/libxml2 $(PANGO) -MMD -MP
# A program keeps the functions and tables that it can reach.
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now,--as-needed,--gc-sections,--compress-debug-sections=zlib $(SANITIZER_FLAGS) $(LDFLAGS)
PANGO := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags-only-I pangocairo))
LIBS = -lcrypt -lhiredis -ljansson -lyaml -lsodium -lsqlite3 -lutf8proc -lstemmer -lpcre2-8 -lz -lzip -lxml2 -lgumbo -luchardet -lxlsxwriter -lpangocairo-1.0 -lpango-1.0 -lgobject-2.0 -lcairo -lm -lpthread
# Our programs load these when they first call them (common/base/library.h).
LOADED_LIBS = -lcurl -lpq -lcrypto -lrdkafka

library = $(BUILD)/libassay.a
library_objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard common/*/*.c common/*/*/*.c))

# fcgi-bin/<service>-<family>/ is one responder; fcgi-bin/<service>/ is what its families share.
families = $(notdir $(patsubst %/,%,$(dir $(wildcard fcgi-bin/*-*/main.c))))
responders = $(addprefix $(BUILD)/fcgi-bin/,$(families))
programs = $(patsubst %/main.c,$(BUILD)/%,$(wildcard cron-bin/*/main.c))
unit_tests = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*_test.c))
benches = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/*.c))
speed_program = $(BUILD)/tests/bench/speed/speed
bare_programs = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/stack/*.c))
fuzz_targets = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/*_fuzz.c))
oracles = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/oracle/*.c))
conformance = $(BUILD)/tests/mcp_conformance/responder
oracle_support = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/oracle/support/*.c))

verifier = $(BUILD)/verify-certificate

all: $(responders) $(programs) $(verifier)

$(library): $(library_objects)
	@rm -f $@
	@echo "  AR    $@"
	@$(AR) rcs $@ $^

$(BUILD)/obj/common/base/help.o: VERSION
$(BUILD)/obj/common/base/help.o: CFLAGS += -DASSAY_VERSION='"$(file < VERSION)"'

# Hold the bytes of the files.
$(BUILD)/obj/common/embedding/model_files.o: common/embedding/matmul_avx512.h
$(BUILD)/obj/common/llm/providers.o: config/providers.yaml

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(ALL_CFLAGS) -c $< -o $@

define responder_rule
$(BUILD)/fcgi-bin/$(1): $$(patsubst %.c,$$(BUILD)/obj/%.o,$$(wildcard fcgi-bin/$(1)/*.c \
    fcgi-bin/$(firstword $(subst -, ,$(1)))/*.c)) $$(library)
	@mkdir -p $$(@D)
	@echo "  LINK  $$@"
	@$$(CC) $$(ALL_LDFLAGS) $$^ $$(LIBS) -o $$@
endef
$(foreach family,$(families),$(eval $(call responder_rule,$(family))))

$(BUILD)/cron-bin/%: $(BUILD)/obj/cron-bin/%/main.o $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

# Checks certificates without any code of the service.
$(verifier): clients/certificates/verify_certificate.c
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_CFLAGS) $< $(ALL_LDFLAGS) -ljansson -lcrypto -lm -o $@

$(BUILD)/tests/unit/%_test: $(BUILD)/obj/tests/unit/%_test.o $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/tests/samples/%: $(BUILD)/obj/tests/samples/%.o $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/tests/unit/certificate_verifier_test: LIBS += -lcrypto

# What the stack is measured against holds nothing of ours.
$(BUILD)/tests/bench/stack/%: $(BUILD)/obj/tests/bench/stack/%.o
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ -lfcgi $(LOADED_LIBS) $(LIBS) -o $@

$(conformance): $(BUILD)/obj/tests/mcp_conformance/responder.o \
    $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard fcgi-bin/experiments/*.c)) $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

# The benchmark reads its cases as the oracles do.
$(oracles) $(speed_program): $(BUILD)/%: $(BUILD)/obj/%.o $(oracle_support) $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

# Fuzz targets drive code in process. What their names begin with a service for drives its responders:
# tests/fuzz/<service>/ includes their main.c, and their other files go into an archive with it. With
# clang and FUZZER=1 the driver is libFuzzer's.
fuzz_driver = $(if $(FUZZER),,$(BUILD)/obj/tests/fuzz/driver.o)
fuzz_services = $(patsubst tests/fuzz/%/family.c,%,$(wildcard tests/fuzz/*/family.c))
define fuzz_service_rule
$(BUILD)/tests/fuzz/$(1).a: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/fuzz/$(1)/*.c fcgi-bin/$(1)/*.c) \
    $(filter-out %/main.c,$(wildcard fcgi-bin/$(1)-*/*.c)))
	@mkdir -p $$(@D)
	@rm -f $$@
	@echo "  AR    $$@"
	@$$(AR) rcs $$@ $$^

$(filter $(BUILD)/tests/fuzz/$(1)_%,$(fuzz_targets)): $(BUILD)/tests/fuzz/$(1).a
endef
$(foreach service,$(fuzz_services),$(eval $(call fuzz_service_rule,$(service))))

$(BUILD)/tests/fuzz/%_fuzz: $(BUILD)/obj/tests/fuzz/%_fuzz.o $(fuzz_driver) $(BUILD)/obj/tests/fuzz/wire.o $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $(if $(FUZZER),-fsanitize=fuzzer) -Wl,--start-group $^ -Wl,--end-group $(LIBS) -o $@

# Fault walks: one program per family, whichever there are, with tests/faults/of_<service>.h; in
# process as well.
fault_walks = $(patsubst %,$(BUILD)/tests/faults/walk-%,$(families))
define fault_walk_rule
$(BUILD)/obj/tests/faults/walk-$(1).o: tests/faults/walk.c
	@mkdir -p $$(@D)
	@echo "  CC    $$< for $(1)"
	@$$(CC) $$(ALL_CFLAGS) -DFAMILY_MAIN='"$(1)/main.c"' \
	    -DSERVICE_TABLES='"of_$(firstword $(subst -, ,$(1))).h"' -c $$< -o $$@

$(BUILD)/tests/faults/walk-$(1): $(BUILD)/obj/tests/faults/walk-$(1).o $(BUILD)/obj/tests/faults/calls.o \
    $$(patsubst %.c,$$(BUILD)/obj/%.o,$$(wildcard fcgi-bin/$(firstword $(subst -, ,$(1)))/*.c) \
    $$(filter-out %/main.c,$$(wildcard fcgi-bin/$(1)/*.c))) $$(library)
	@mkdir -p $$(@D)
	@echo "  LINK  $$@"
	@$$(CC) $$(ALL_LDFLAGS) $$^ $$(LIBS) -o $$@
endef
$(foreach family,$(families),$(eval $(call fault_walk_rule,$(family))))

# Programs of tests are many, and each runs once: one level less of optimization and the faster linker make them in
# half the time. What they test is in the library.
tested_once = $(unit_tests) $(fuzz_targets) $(oracles) $(fault_walks) $(conformance)
ifeq ($(CC)$(SANITIZE)$(FUZZER),gcc)
$(tested_once:$(BUILD)/%=$(BUILD)/obj/%.o): CFLAGS = -O1 -g -gdwarf-4 -gsplit-dwarf
$(tested_once): ALL_LDFLAGS += $(if $(shell command -v ld.gold),-fuse-ld=gold)
endif

tests: $(tested_once)

# Everything, or the suites named: make test SUITES="unit api". With SANITIZE=address,undefined the
# suites that run programs of ours, which then must not give cause for a report.
test: packages-test
	@$(MAKE) --no-print-directory -j$$(nproc) all tests
	@$(MAKE) --no-print-directory vendor
	@BUILD=$(BUILD) PYTHON=$(PYTHON) SANITIZE=$(SANITIZE) \
	    tests/run $(or $(SUITES),$(if $(SANITIZE),unit corpus db api))

# The quick loop after a change: builds it, runs the unit tests, checks what differs from the last commit, asks each
# service some hundred requests. Two minutes on two processors.
check:
	@$(MAKE) --no-print-directory -j$$(nproc) all $(unit_tests)
	@LINT_SINCE=HEAD~1 BUILD=$(BUILD) PYTHON=$(PYTHON) tests/run smoke unit lint

# Looks for inputs that break the promises of tests/fuzz/: FUZZ_SECONDS for each target, FUZZ_JOBS at
# a time, FUZZ_TARGETS="json url" some of them. What it finds is below build/fuzzer/findings/.
fuzz: packages-fuzz
	@nice -n 19 $(MAKE) --no-print-directory -j$$(nproc) CC=clang FUZZER=1 SANITIZE=address,undefined \
	    fuzz-targets
	@tests/fuzz/run $(FUZZ_TARGETS)

fuzz-targets: $(fuzz_targets)

# Workers of every family under valgrind while a part of the API suite asks them: some 15 minutes.
valgrind: packages-valgrind
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@BUILD=$(BUILD) PYTHON=$(PYTHON) tests/valgrind $(VALGRIND_TESTS)

lint:
	@tests/lint/run

# Questions of a customer and their answers, to be read.
sample-answers: $(BUILD)/tests/samples/sample_answers
	@$< $(or $(SAMPLES),$(sort $(dir $(wildcard tests/data/answers/*/questions.txt))))

# How many questions about 248 files of many formats and programs are answered from the right row.
measure-documents: packages-test all
	@$$(tests/documents/install) tests/documents/make.py $(BUILD)/documents/set
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/documents/measure.py $(BUILD)/documents/set

# How many of 500 questions about two domains are answered, refused and misread by the service of live data.
measure-questions: packages-test all
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/livedata_questions/measure.py

# What things cost, and how that compares with numpy and scipy in the same run. Wants a quiet machine.
bench: packages-test
	@$(MAKE) --no-print-directory -j$$(nproc) all $(benches) $(speed_program) $(bare_programs)
	@for program in $(benches); do $$program || exit 1; done
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/stack/run
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/stack/live --events 2500000 --sliced 2500000
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/stack/files
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/stack/livedata
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/stack/support
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/flood
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/tracing
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/orchestrator
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/crowd
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/improvement
	@BUILD=$(BUILD) $(PYTHON) tests/bench/speed/run

# How often sequential methods are wrong without an effect: the tables of docs/use/error-rates.md. Minutes.
error-rates: $(BUILD)/tests/oracle/error_rates
	@$< $(STREAMS)

# The part of it about questions to documents.
bench-support: packages-test
	@$(MAKE) --no-print-directory -j$$(nproc) all $(bare_programs)
	@ASSAY_BUILD_DIR=$(BUILD) $(PYTHON) tests/bench/stack/support ask pages meaning memory

# Everything that `make test` runs, with what takes long: walks of every step, kills and chaos for longer, every file
# on both engines, a million requests to the same workers, the whole tree under clang-tidy.
soak:
	@ASSAY_TEST_SOAK=1 $(MAKE) --no-print-directory test

# How often comparisons of clusters and of several arms are wrong without an effect: the tables of
# docs/use/error-rates-arms.md. RUNS=10000 by default.
error-rates-arms: $(BUILD)/tests/oracle/arms_error_rates
	@$< $(RUNS)

# How often decisions with several goals claim what is not so: the table of docs/use/error-rates-goals.md. RUNS=10000 by
# default.
error-rates-goals: $(BUILD)/tests/oracle/goal_error_rates
	@$< $(RUNS)

# How often the comparison of adaptive arms is wrong without an effect: the table of
# docs/use/error-rates-adaptive.md. RUNS=10000 by default.
error-rates-adaptive: $(BUILD)/tests/oracle/adaptive_error_rates
	@$< $(RUNS)

# How often rules that may stop early are wrong without an effect: the tables of docs/use/error-rates-stopping.md.
# RUNS=10000 by default.
error-rates-stopping: $(BUILD)/tests/oracle/stopping_error_rates $(BUILD)/tests/oracle/loss_error_rates
	@$< $(RUNS)
	@echo; $(BUILD)/tests/oracle/loss_error_rates $(RUNS)

# How often intervals adjusted by covariates contain the effect: the table of docs/use/error-rates-adjustment.md.
# RUNS=10000 by default.
error-rates-adjustment: $(BUILD)/tests/oracle/adjustment_coverage
	@$< $(RUNS)

# The engines beyond one host, killed while they work: half an hour. PARTS="kafka redis" are the files of tests/scale
# that run, all of them by default.
scale: packages-scale
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@ASSAY_BUILD_DIR=$(BUILD) tests/scale/run $(PARTS)

# A Debian package of what is built, into build/ (docs/operate/deploy.md).
deb: packages-deb
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(MAKE) --no-print-directory vendor
	@BUILD=$(BUILD) tools/debian/build

# Pages that the programs write.
docs: all
	@BUILD=$(BUILD) tools/docs

# The manual pages, into build/man.
man: all
	@BUILD=$(BUILD) tools/man

# The pictures of the README, from the suite that `make run` has started here.
screenshots:
	@node tests/browser/screenshots.mjs

clean:
	rm -rf build static/vendor static/node_modules tests/browser/node_modules

help:
	@echo 'For users and operators:'
	@echo '  make run            install what is missing, build, start the suite with demo data; Ctrl-C stops it'
	@echo '  make                build the programs (the same as make all)'
	@echo '  make vendor         fetch the libraries of the pages'
	@echo '  make deb            build a Debian package of the suite'
	@echo '  make man            write the manual pages into build/man'
	@echo 'For developers:'
	@echo '  make check          the quick loop: build, unit tests, lint of what differs, some requests to each service'
	@echo '  make test           install what is missing, build, run every suite; SUITES="unit api" runs some'
	@echo '  make tests          build the programs of the tests and run none'
	@echo '  make lint           check the sources'
	@echo '  make sample-answers print sample questions and their answers in seven languages'
	@echo '  make measure-documents  ask about 248 files of many formats, print how many answers have the right row'
	@echo '  make measure-questions  ask 500 questions about live data, print how many are answered, refused and misread'
	@echo '  make bench          measure costs and ratios; wants a quiet machine'
	@echo '  make bench-support  the part of it about questions to documents'
	@echo '  make error-rates    simulate how often sequential methods are wrong without an effect; STREAMS=10000'
	@echo '  make error-rates-arms  the same for clusters and several arms; RUNS=10000'
	@echo '  make error-rates-goals  the same for several goals; RUNS=10000'
	@echo '  make error-rates-adaptive  the same for adaptive arms; RUNS=10000'
	@echo '  make error-rates-stopping  the same for rules that may stop early; RUNS=10000'
	@echo '  make error-rates-adjustment  coverage of effects adjusted by covariates; RUNS=10000'
	@echo '  make soak           run every test, with everything that takes long'
	@echo '  make scale          run the engines beyond one host and kill them; PARTS="kafka redis" for some'
	@echo '  make fuzz           look for inputs that break a promise; FUZZ_SECONDS, FUZZ_JOBS, FUZZ_TARGETS'
	@echo '  make fuzz-targets   build the fuzz targets and run none'
	@echo '  make valgrind       run a part of the API suite with all workers under valgrind; VALGRIND_TESTS'
	@echo '  make docs           write the pages that the programs print'
	@echo '  make screenshots    take the pictures of the README from a running `make run`'
	@echo '  make packages-run   install the Debian packages to run (-test, -fuzz, -valgrind, -deb likewise)'
	@echo '  make clean          remove what was built'
	@echo 'SANITIZE=address,undefined goes with all of them, into build/sanitized; for CC=clang give BUILD='

include tools/run.mk

# The packages of the clients, tested, and tried in fresh environments: build/clients/packages/.
clients:
	@BUILD=$(BUILD) clients/run

.PHONY: all clients tests test check fuzz fuzz-targets valgrind lint bench bench-support error-rates error-rates-arms error-rates-goals error-rates-adaptive error-rates-stopping error-rates-adjustment sample-answers measure-documents measure-questions soak scale deb docs man screenshots clean help
.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
