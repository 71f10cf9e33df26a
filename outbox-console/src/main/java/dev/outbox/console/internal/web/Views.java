package dev.outbox.console.internal.web;

import dev.outbox.operations.InvalidOperationException;
import dev.outbox.spring.internal.Rights.Right;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.thymeleaf.TemplateEngine;
import org.thymeleaf.context.Context;
import org.thymeleaf.spring6.SpringTemplateEngine;
import org.thymeleaf.templateresolver.ClassLoaderTemplateResolver;

/** Renders responses, each with the headers that confine what a browser does with it. Needs no bean of the application. */
public final class Views {

    private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self';"
            + " img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    private static final MediaType HTML = new MediaType("text", "html", StandardCharsets.UTF_8);

    /** Tells the scripts of the console its own parts from what else may answer, such as a login page. */
    private static final MediaType FRAGMENT =
            new MediaType("text", "html", Map.of("charset", "UTF-8", "profile", "outbox"));

    private final ConsoleSettings settings;
    private final Assets assets = new Assets();
    private final Format format = new Format(Clock.systemUTC());
    private final TemplateEngine engine = engine();

    /** Renders pages with the title and path of the settings. */
    public Views(ConsoleSettings settings) {
        this.settings = settings;
    }

    private static TemplateEngine engine() {
        ClassLoaderTemplateResolver templates = new ClassLoaderTemplateResolver(Views.class.getClassLoader());
        templates.setPrefix("dev/outbox/console/templates/");
        templates.setSuffix(".html");
        templates.setCharacterEncoding("UTF-8");
        SpringTemplateEngine engine = new SpringTemplateEngine();
        engine.setTemplateResolver(templates);
        return engine;
    }

    /** Renders a page. */
    public ServerResponse page(ServerRequest request, String template, Map<String, ?> model) {
        return html(request, HttpStatus.OK, engine.process(template, context(request, model)));
    }

    /** Renders the page of a form again, with its fields and why the request is refused. */
    public ServerResponse refused(
            ServerRequest request, String template, Map<String, ?> model, InvalidOperationException problem) {
        Map<String, @Nullable Object> shown = new HashMap<>(model);
        shown.put("error", problem.getMessage());
        return html(request, HttpStatus.BAD_REQUEST, engine.process(template, context(request, shown)));
    }

    /** Renders a part of a page. */
    public ServerResponse fragment(ServerRequest request, String template, String fragment, Map<String, ?> model) {
        String html = engine.process(template, Set.of(fragment), context(request, model));
        return bytes(request, HttpStatus.OK, FRAGMENT, html.getBytes(StandardCharsets.UTF_8), CacheControl.noStore());
    }

    /** Renders an error page with the problem and its remedy. */
    public ServerResponse problem(ServerRequest request, HttpStatus status, String title, String text) {
        Map<String, ?> model = Map.<String, Object>of("title", title, "text", text, "status", status.value());
        return html(request, status, engine.process("problem", context(request, model)));
    }

    /** Renders the page of an address that does not exist. */
    public ServerResponse notFound(ServerRequest request, String text) {
        return problem(request, HttpStatus.NOT_FOUND, "Not found", text);
    }

    /** Leads the browser to another page. */
    public ServerResponse redirect(ServerRequest request, String address) {
        return redirect(request, address, null);
    }

    /** Leads the browser to a page that shows the outcome of a change. */
    public ServerResponse redirect(ServerRequest request, String address, @Nullable String outcome) {
        return ServerResponse.status(HttpStatus.SEE_OTHER)
                .location(URI.create(address))
                .headers((headers) -> {
                    confine(request, headers);
                    if (outcome != null) {
                        headers.add(
                                HttpHeaders.SET_COOKIE,
                                Notice.cookie(request, links(request).home(), outcome));
                    }
                })
                .build();
    }

    /** Sends a file. */
    public ServerResponse asset(ServerRequest request) {
        Assets.Asset asset = assets.find(request);
        return asset == null
                ? notFound(request, "This file does not exist in this version of the console.")
                : bytes(
                        request,
                        HttpStatus.OK,
                        asset.type(),
                        asset.content(),
                        CacheControl.maxAge(Duration.ofDays(365)).cachePrivate().immutable());
    }

    /** Returns the addresses of the pages, as the browser sees them. */
    public Links links(ServerRequest request) {
        return new Links(Links.base(request, settings), assets.hashes());
    }

    private Context context(ServerRequest request, Map<String, ?> model) {
        Map<String, @Nullable Object> variables = new HashMap<>(model);
        variables.put("links", links(request));
        variables.put("fmt", format);
        variables.put("application", settings.title());
        variables.put("insecure", settings.insecure() && request.principal().isEmpty());
        variables.put("mayChange", settings.allow(Right.COMMAND, request));
        variables.put("mayErase", settings.allow(Right.ERASE, request));
        variables.put("maySignOut", UserSession.identifies(request));
        variables.put("signedIn", request.principal().isPresent());
        variables.put("operator", Operators.of(request));
        variables.put("csrf", CsrfField.of(request));
        variables.put("notice", Notice.of(request));
        return new Context(Locale.ENGLISH, variables);
    }

    private ServerResponse html(ServerRequest request, HttpStatus status, String html) {
        return bytes(request, status, HTML, html.getBytes(StandardCharsets.UTF_8), CacheControl.noStore());
    }

    private ServerResponse bytes(
            ServerRequest request, HttpStatus status, MediaType type, byte[] content, CacheControl caching) {
        return ServerResponse.status(status)
                .contentType(type)
                .contentLength(content.length)
                .headers((headers) -> {
                    confine(request, headers);
                    headers.setCacheControl(caching);
                    if (type.equals(HTML) && request.headers().firstHeader("HX-Request") == null) {
                        Notice.end(request, headers, links(request).home());
                    }
                })
                .build((servletRequest, response) -> {
                    response.getOutputStream().write(content);
                    return null;
                });
    }

    private void confine(ServerRequest request, HttpHeaders headers) {
        headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "same-origin");
        headers.setCacheControl(CacheControl.noStore());
        String cookie = Operators.cookie(request, links(request).home());
        if (settings.insecure() && cookie != null && SameOrigin.sent(request)) {
            headers.add(HttpHeaders.SET_COOKIE, cookie);
        }
    }
}
