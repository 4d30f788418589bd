export { handleDashboard as GET } from "#lib/server/web-dashboard.ts";
