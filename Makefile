# Assay: one static library, a responder per folder of fcgi-bin/, a program per folder of cron-bin/.
# The two commands that matter: `make run` and `make test`. `make help` lists the rest.

SHELL = /bin/bash
CC = gcc
BUILD = build
SANITIZE =
PYTHON = /usr/bin/python3

# Rows of constant tables leave their trailing members 0 on purpose.
WARNINGS = -Wno-missing-field-initializers -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes \
           -Wwrite-strings -Wformat=2 -Wvla -Wundef
CFLAGS = -O2 -g
SANITIZER_FLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) -fPIE -D_FORTIFY_SOURCE=2 -fstack-protector-strong \
             $(SANITIZER_FLAGS) -Icommon -Ifcgi-bin -MMD -MP
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now,--as-needed $(SANITIZER_FLAGS) $(LDFLAGS)
LIBS = -lfcgi -ljansson -lsodium -lm -lpthread

library = $(BUILD)/libassay.a
library_objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard common/*/*.c))

# fcgi-bin/<service>-<family>/ is one responder; fcgi-bin/<service>/ is what its families share.
families = $(notdir $(patsubst %/,%,$(dir $(wildcard fcgi-bin/*-*/main.c))))
responders = $(addprefix $(BUILD)/fcgi-bin/,$(families))
unit_tests = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*_test.c))
oracles = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/oracle/*.c))

all: $(responders)

$(library): $(library_objects)
	@rm -f $@
	@echo "  AR    $@"
	@$(AR) rcs $@ $^

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

$(BUILD)/tests/unit/%_test: $(BUILD)/obj/tests/unit/%_test.o $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/tests/oracle/%: $(BUILD)/obj/tests/oracle/%.o $(library)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

unit: $(unit_tests)
	@status=0; for t in $^; do echo "== $$t"; $$t || status=1; done; exit $$status

clean:
	rm -rf $(BUILD)

.PHONY: all unit clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
