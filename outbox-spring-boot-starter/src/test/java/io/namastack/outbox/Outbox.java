package io.namastack.outbox;

/** Stands for the interface of this name, which the starter recognizes by its name. */
public interface Outbox {}
