#include <keysieve/c_api.h>

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const float scores[2][6] = {{1, 5, 3, 5, 2, 9}, {4, 4, 4, 4, 4, 4}};
  const int32_t lengths[2] = {6, 2};
  int32_t indices[2][3];

  keysieve_select_problem problem; /* shapes and options */
  keysieve_select_problem_init(&problem);
  problem.rows = 2;
  problem.width = 6;
  problem.k = 3;

  keysieve_select_plan plan; /* which route, how much workspace */
  plan.struct_size = sizeof plan;
  if (keysieve_select_make_plan(&problem, &plan) != KEYSIEVE_OK) {
    fprintf(stderr, "%s\n", keysieve_last_error());
    return 1;
  }

  keysieve_select_args args; /* tensors */
  keysieve_select_args_init(&args);
  args.scores = scores;
  args.lengths = lengths;
  args.indices = indices;
  args.workspace_bytes = plan.workspace_bytes;
  args.workspace = malloc((size_t)plan.workspace_bytes);

  const keysieve_status status = keysieve_select_run(&plan, &args, NULL);
  free(args.workspace);
  if (status != KEYSIEVE_OK) {
    fprintf(stderr, "%s\n", keysieve_last_error());
    return 1;
  }
  for (int row = 0; row < 2; ++row) {
    printf("%d %d %d\n", (int)indices[row][0], (int)indices[row][1], (int)indices[row][2]);
  }
  return 0; /* prints "1 3 5" and "0 1 -1" */
}
