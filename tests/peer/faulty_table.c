/* Libraries that are no peers: one table, spoilt in the one way that PEER_FAULT names. Built once a fault. */
#include <keysieve/peer.h>
#include <stddef.h>

static const char* unmet_conditions(const keysieve_select_problem* problem) {
  (void)problem;
  return NULL;
}

static keysieve_status create(const keysieve_select_problem* problem, void** state, int64_t* workspace_bytes) {
  (void)problem;
  *state = NULL;
  *workspace_bytes = 0;
  return KEYSIEVE_OK;
}

static keysieve_status run(void* state, const keysieve_select_args* args, void* stream) {
  (void)state, (void)args, (void)stream;
  return KEYSIEVE_OK;
}

static void destroy(void* state) { (void)state; }
static const char* last_error(void) { return ""; }

enum Fault { old_version, small_struct, no_run, no_name, bad_name, unknown_promise, same_name, endless, empty };

const keysieve_peer* keysieve_peer_at(int32_t index) {
  static keysieve_peer table = {sizeof(keysieve_peer),
                                KEYSIEVE_PEER_ABI_VERSION,
                                "spoilt",
                                "1",
                                0,
                                0,
                                unmet_conditions,
                                create,
                                run,
                                destroy,
                                last_error};
  switch (PEER_FAULT) {
    case old_version:
      table.abi_version = 99;
      break;
    case small_struct:
      table.struct_size = 16;
      break;
    case no_run:
      table.run = NULL;
      break;
    case no_name:
      table.name = NULL;
      break;
    case bad_name:
      table.name = "a/b";
      break;
    case unknown_promise:
      table.promises = 0x80000000u;
      break;
    case same_name:
      return index < 2 ? &table : NULL;
    case endless: {
      static char names[100][4];
      static keysieve_peer tables[100];
      names[index][0] = 'p';
      names[index][1] = (char)('0' + index / 10);
      names[index][2] = (char)('0' + index % 10);
      tables[index] = table;
      tables[index].name = names[index];
      return &tables[index];
    }
    case empty:
      return NULL;
    default:
      break;
  }
  return index == 0 ? &table : NULL;
}
