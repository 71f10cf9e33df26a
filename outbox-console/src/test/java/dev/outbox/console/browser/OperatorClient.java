package dev.outbox.console.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Second operator, or an attacker: a client with cookies of its own that sends what it wants. */
final class OperatorClient {

    private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"");

    private final HttpClient client =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    private final String application;

    OperatorClient(String application) {
        this.application = application;
    }

    static OperatorClient signedIn(String application, String user) {
        OperatorClient operator = new OperatorClient(application);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("username", user);
        fields.put("password", "secret");
        fields.put("_csrf", operator.token("/login"));
        operator.post("/login", fields);
        return operator;
    }

    /** Returns the token of a form of a page. */
    String token(String page) {
        Matcher token = TOKEN.matcher(get(page).body());
        if (!token.find()) {
            throw new IllegalStateException("no token in " + page);
        }
        return token.group(1);
    }

    HttpResponse<String> get(String page) {
        return send(request(page));
    }

    HttpResponse<String> post(String page, Map<String, String> fields, String... headers) {
        HttpRequest.Builder request = request(page)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(fields.entrySet().stream()
                        .map((field) ->
                                field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"))));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    private HttpRequest.Builder request(String page) {
        return HttpRequest.newBuilder(URI.create(application + page));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
