package dev.outbox.benchmarks.transactionoutbox;

/** Scheduled call of a handler, with argument types that the default serializer supports. */
interface Calls {

    void handle(int handler, int number, int key, long seq, String note);
}
