package dev.outbox.console.internal.web;

/**
 * Settings of the console.
 *
 * @param path the path below the context path, with a leading slash and none at the end
 * @param title the name of the application
 * @param insecure whether requests without an authenticated user are served
 * @param showPayloads whether payloads and headers are shown
 */
public record ConsoleSettings(String path, String title, boolean insecure, boolean showPayloads) {}
