package dev.outbox.internal.failure;

import java.util.regex.Pattern;

/** Passwords, tokens and credentials in error texts, found by their names. */
final class Secrets {

    /** Bounds the work of the patterns; no stored text is longer. */
    private static final int LONGEST = 20_000;

    private static final Pattern CREDENTIALS_IN_URL = Pattern.compile("(?<=://)[^\\s/?#@:]{0,200}:[^\\s/@]{1,200}@");

    private static final Pattern HEADER = Pattern.compile(
            "(?i)\\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key)(\"?\\s?[:=]\\s?\"?)[^\\r\\n\"]+");

    private static final Pattern SCHEME = Pattern.compile("(?i)\\b(bearer|basic)\\s(?=\\S*[\\d=])[\\w.~+/=-]{8,}");

    private static final Pattern NAMED = Pattern.compile(
            "(?i)(passw(?:or)?d|passphrase|pwd|client_?secret|api[_-]?key)(\"?\\s?[:=]\\s?\"?)[^\\s\"&;,]+");

    private static final Pattern PARAMETER =
            Pattern.compile("(?i)(token|secret|signature|\\bsig|credential)(=)[^\\s\"&;,]+");

    private Secrets() {}

    /** Replaces the secrets, and shortens texts that are much longer than any message. */
    static String redact(String text) {
        String all = text.length() <= LONGEST ? text : text.substring(0, LONGEST);
        String named = CREDENTIALS_IN_URL.matcher(all).replaceAll("***@");
        for (Pattern pattern : new Pattern[] {HEADER, NAMED, PARAMETER}) {
            named = pattern.matcher(named).replaceAll("$1$2***");
        }
        return SCHEME.matcher(named).replaceAll("$1 ***");
    }
}
