// The ids of the list of known faults of other implementations. Every one has exactly one test (registry_test.cpp).
#pragma once

#include <array>

namespace keysieve::test {

enum class Shown {
  kOnCpu,        // the input shows the fault on a CPU too; suite Faults, which tests/gpu runs on the device as well
  kOnGpu,        // only a GPU can show it; suite GpuFaults in the programs of tests/gpu
  kOnCompilers,  // records of the compiler matrix show it; suite CompilerFaults
  kPending,      // only a later part can show it: the test is skipped, never passed
};

struct FaultId {
  const char* id;
  Shown shown;
};

inline constexpr std::array kFaultIds = {
    FaultId{"R01", Shown::kOnCpu},    FaultId{"R02", Shown::kOnCpu},       FaultId{"R04", Shown::kOnCpu},
    FaultId{"R06", Shown::kOnCpu},    FaultId{"R08", Shown::kOnCpu},       FaultId{"R10", Shown::kOnCpu},
    FaultId{"R12", Shown::kOnCpu},    FaultId{"R13", Shown::kOnCpu},       FaultId{"R14", Shown::kOnCpu},
    FaultId{"R17", Shown::kOnCpu},    FaultId{"R18", Shown::kOnCpu},       FaultId{"R20", Shown::kOnCpu},
    FaultId{"R22", Shown::kOnCpu},    FaultId{"R23", Shown::kOnCpu},       FaultId{"R24", Shown::kOnCpu},
    FaultId{"R26", Shown::kOnCpu},    FaultId{"R28", Shown::kOnCpu},       FaultId{"R29", Shown::kOnCpu},
    FaultId{"R32", Shown::kOnCpu},    FaultId{"R33", Shown::kOnCpu},       FaultId{"R34", Shown::kOnCpu},
    FaultId{"R35", Shown::kOnCpu},    FaultId{"R37", Shown::kOnCpu},       FaultId{"R38", Shown::kOnCpu},
    FaultId{"R40", Shown::kPending},  FaultId{"R41", Shown::kOnCpu},       FaultId{"R43", Shown::kOnCpu},
    FaultId{"R44", Shown::kPending},  FaultId{"R46", Shown::kPending},     FaultId{"R48", Shown::kOnGpu},
    FaultId{"R49", Shown::kOnGpu},    FaultId{"R51", Shown::kOnGpu},       FaultId{"R54", Shown::kOnGpu},
    FaultId{"R55", Shown::kOnGpu},    FaultId{"R56", Shown::kOnCpu},       FaultId{"R57", Shown::kOnCpu},
    FaultId{"R60", Shown::kOnGpu},    FaultId{"R62", Shown::kOnCpu},       FaultId{"R63", Shown::kOnCpu},
    FaultId{"R64", Shown::kOnGpu},    FaultId{"R66", Shown::kOnGpu},       FaultId{"R67", Shown::kOnCpu},
    FaultId{"R69", Shown::kOnGpu},    FaultId{"R71", Shown::kOnGpu},       FaultId{"R74", Shown::kOnGpu},
    FaultId{"R76", Shown::kPending},  FaultId{"R77", Shown::kOnCompilers}, FaultId{"R78", Shown::kOnCompilers},
    FaultId{"R80", Shown::kOnCpu},    FaultId{"R81", Shown::kOnCpu},       FaultId{"R84", Shown::kOnCpu},
    FaultId{"R85", Shown::kOnCpu},    FaultId{"R87", Shown::kOnGpu},       FaultId{"R89", Shown::kPending},
    FaultId{"R90", Shown::kPending},  FaultId{"R92", Shown::kPending},     FaultId{"R94", Shown::kOnCpu},
    FaultId{"R97", Shown::kOnGpu},    FaultId{"R98", Shown::kOnCpu},       FaultId{"R100", Shown::kOnCpu},
    FaultId{"R102", Shown::kPending}, FaultId{"R103", Shown::kPending},    FaultId{"R106", Shown::kPending},
    FaultId{"R107", Shown::kPending}, FaultId{"R108", Shown::kPending},    FaultId{"R111", Shown::kPending},
    FaultId{"R113", Shown::kPending}, FaultId{"R114", Shown::kPending},
};

}  // namespace keysieve::test
