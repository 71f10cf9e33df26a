package dev.outbox.benchmarks.worker;

import java.io.Serializable;

/**
 * Start parameters of a process.
 *
 * @param contestant the name of the contestant's class
 * @param url the JDBC URL with the credentials and the driver's settings
 * @param tuned whether the contestant has its best settings instead of its defaults
 * @param role the role of the process
 * @param journals the directory of the journals
 */
public record Opening(String contestant, String url, boolean tuned, Role role, String journals)
        implements Serializable {}
