# The two commands: `make demo` and `make test`. Both install what they need (scripts/setup.sh says what), build
# and end with a clear result. Everything else is for people who work on keysieve.
SHELL := /bin/bash
BUILD := build
JOBS ?= $(shell nproc)

.PHONY: help demo test build quick bench toolchains clean

help:
	@echo "make demo   select on the real data in data/ and print each query with its best texts"
	@echo "make test   every test that needs no GPU: unit, Python, sanitizers, fuzzers, install"
	@echo "make quick  the unit tests of the release build alone"
	@echo "make bench  the CPU grid of keysieve bench against floors of the same run"
	@echo "make toolchains   the device code with every CUDA 13 compiler and NVRTC 12.9, machine code checked"
	@echo "make build  libraries and the keysieve command"

demo:
	scripts/setup.sh demo
	scripts/demo.sh $(BUILD)

test:
	scripts/setup.sh test
	scripts/test.sh

build:
	scripts/setup.sh demo
	cmake -S . -B $(BUILD) -G Ninja -DKEYSIEVE_BUILD_TESTS=OFF
	cmake --build $(BUILD) -j $(JOBS)

quick:
	scripts/setup.sh test
	scripts/test.sh release

bench: build
	$(BUILD)/bin/keysieve bench --backend cpu -o $(BUILD)/bench-cpu.json

toolchains:
	scripts/setup.sh demo
	/usr/bin/python3 toolchains/toolchains.py build all --jobs $(JOBS)
	/usr/bin/python3 toolchains/toolchains.py sass all

clean:
	rm -rf build build-*
