package dev.outbox.benchmarks.transactionoutbox;

/** What is scheduled: the call of a handler, with arguments of types that the default serializer takes. */
interface Calls {

    void handle(int handler, int number, int key, long seq, String note);
}
