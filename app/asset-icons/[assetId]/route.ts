export { handleDashboard as GET } from "#lib/dashboard/web.ts";
