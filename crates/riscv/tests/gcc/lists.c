// Linked lists, a ring, a pool of nodes.
struct node { struct node *next; int v; };
static struct node pool[40]; static int used; struct node *head;
struct node *fresh(int v) { if (used == 40) return 0; struct node *n = &pool[used++]; n->v = v; n->next = 0; return n; }
void push(int v) { struct node *n = fresh(v); if (n) { n->next = head; head = n; } }
int pop(int other) { if (!head) return other; int v = head->v; head = head->next; return v; }
struct node *reverse(struct node *l) { struct node *r = 0; while (l) { struct node *n = l->next; l->next = r; r = l; l = n; } return r; }
int has_ring(const struct node *l) { const struct node *fast = l; while (fast && fast->next) { l = l->next; fast = fast->next->next; if (l == fast) return 1; } return 0; }
struct node **place(struct node **l, int v) { while (*l && (*l)->v < v) l = &(*l)->next; return l; }
void insert(int v) { struct node **p = place(&head, v), *n = fresh(v); if (!n) return; n->next = *p; *p = n; }
void delete(int v) { for (struct node **p = &head; *p;) if ((*p)->v == v) *p = (*p)->next; else p = &(*p)->next; }
