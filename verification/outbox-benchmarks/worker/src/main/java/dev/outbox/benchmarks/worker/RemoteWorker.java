package dev.outbox.benchmarks.worker;

import java.rmi.Remote;
import java.util.Map;

/** Process of a contestant, as the controller calls it. */
public interface RemoteWorker extends Remote {

    /** Returns the configured properties of the contestant. */
    Map<String, String> settings() throws Exception;

    /** Returns the SQL query that counts pending events. */
    String pending() throws Exception;

    /** Creates the accounts that publishing changes. */
    void createAccounts(int accounts) throws Exception;

    /** Publishes events of each of the accounts in turn, without changing them. */
    void publishBacklog(int events, int firstKey, int keys) throws Exception;

    /** Publishes as fast as it can, the events of many accounts or of one aggregate that they share. */
    Published publish(int threads, int keys, boolean shared, int seconds) throws Exception;

    /** Publishes at a steady rate. */
    Published publishAtRate(int rate, int threads, int keys, int seconds) throws Exception;

    /** Starts to deliver, or to wake the processes that deliver. */
    void start() throws Exception;

    /** Runs a task of this library, and returns its result. */
    long perform(String task) throws Exception;

    /** Returns the heap in use right after a garbage collection. */
    long liveHeap() throws Exception;

    /** Closes the contestant, as an application does at shutdown. */
    void close() throws Exception;
}
